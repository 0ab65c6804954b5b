import Kafka
import NIOCore
import Runtime
import Support

/// The devices of one event loop, and their records that Kafka has not acknowledged yet.
///
/// Everything here happens on the loop; there is neither a lock nor a task for a message.
final class DriverConnectionRegistry: ConnectionRegistry, @unchecked Sendable {
    // @unchecked: every function but `init` is called on `loop`, which some of them check.
    private static let tickInterval = TimeAmount.seconds(1)
    private static let maximumDrivers = 100_000

    /// What waits for an acknowledgement.
    private enum Waiting {
        /// The record of a session, with its ticket there, and the id that the device gave the message.
        case session(DriverSession, ticket: Int, messageID: String?)
        case upload(RecordUpload)
    }

    /// A record on its way, and its share of the producer's queue.
    private struct Flight {
        let waiting: Waiting
        let share: Int
        let bytes: Int
    }

    /// What became of an attempt to queue a record.
    enum Queued {
        case yes
        /// There is no room, or no producer yet: later.
        case later
        case failed(KafkaError)
    }

    let loop: any EventLoop
    let settings: DriverGatewaySettings
    let tokens: TokenGate
    let metrics: DriverMetrics
    /// Of this loop; what it hands out is valid until its next call.
    let reader = DriverMessageReader()
    /// Of this loop.
    let tripReader = TripEventReader()
    /// The sockets of each driver.
    let heldSockets: HeldConnections
    private let number: Int
    private let warnings: PartitionIntake<WarningIntakeReader>
    private let trips: TripFollower
    private let requests: RequestStore
    private var producer: DriverProducer?
    /// Of each topic; `nil` until the broker has told.
    private var partitions: Int32?
    private var limits: RateLimits
    private var sessions: [ObjectIdentifier: DriverSession] = [:]
    /// The devices that are told of warnings and trips, by driver.
    private var devices: [String: [DriverSession]] = [:]
    private var flights = InFlightTable<Flight>()
    /// Requests whose records are on their way, so that one that is sent again adds no copies.
    private var uploads: [UploadKey: RecordUpload] = [:]
    private var status = ByteWriter()
    /// Sessions that the present deliveries have acknowledged something of.
    private var acknowledged: [DriverSession] = []

    init(
        _ loop: any EventLoop, number: Int, settings: DriverGatewaySettings, tokens: TokenGate,
        heldSockets: HeldConnections, warnings: PartitionIntake<WarningIntakeReader>, trips: TripFollower,
        requests: RequestStore, metrics: DriverMetrics
    ) {
        precondition(number < DriverDeliveryToken.maximumLoops, "There are more event loops than tickets can name.")
        self.loop = loop
        self.number = number
        self.settings = settings
        self.tokens = tokens
        self.heldSockets = heldSockets
        self.warnings = warnings
        self.trips = trips
        self.requests = requests
        self.metrics = metrics
        limits = RateLimits(settings.driverLimit, maximumKeys: Self.maximumDrivers)
    }

    /// Begins the work of every second.
    func start() {
        loop.assertInEventLoop()
        loop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { [weak self] _ in
            self?.tick()
        }
    }

    /// From now on records can be written, and warnings read.
    ///
    /// `partitions`: of each topic.
    func begin(with producer: DriverProducer, partitions: Int) {
        loop.assertInEventLoop()
        self.producer = producer
        self.partitions = Int32(partitions)
        for driver in devices.keys { watch(driver) }
        for session in sessions.values { session.proceed() }
    }

    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler {
        loop.assertInEventLoop()
        let session = DriverSession(handshake, hub: self)
        sessions[ObjectIdentifier(session)] = session
        metrics.sockets.connections.increment()
        session.admit(handshake)
        return session
    }

    func tellClosing() {
        loop.assertInEventLoop()
        for session in sessions.values { session.tellClosing() }
    }

    func close(_ session: DriverSession) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        metrics.sockets.connections.decrement()
        removeFromWarnings(session)
    }

    /// Takes a token of a driver's bucket.
    /// - Returns: `nil` when it is granted, otherwise the wait in milliseconds.
    func take(of driver: String, at now: Timestamp) -> Int64? { limits.take(driver, at: now) }

    private func tick() {
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        for session in sessions.values { session.tick(now) }
    }
}

/// Records and their acknowledgements.
extension DriverConnectionRegistry {
    /// Queues a record of a session; `ticket` is asked for once it is queued.
    func write(
        _ message: DriverRecord, driver: ByteSlice, of session: DriverSession, messageID: String?,
        ticket: () -> Int
    ) -> Queued {
        queue(message, driver) { .session(session, ticket: ticket(), messageID: messageID) }
    }

    /// Queues the record of a request.
    func write(_ message: DriverRecord, driver: ByteSlice, of upload: RecordUpload) -> Queued {
        queue(message, driver) { .upload(upload) }
    }

    private func queue(_ message: DriverRecord, _ driver: ByteSlice, _ waiting: () -> Waiting) -> Queued {
        switch message {
        case .locations(let value): return queue(value, to: .locations, driver, waiting)
        case .tripStatus(let message):
            status.removeAll()
            TripStatusMapping.write(message, into: &status)
            return queue(status.bytes, to: .trips, driver, waiting)
        case .trip(let value): return queue(value, to: .trips, driver, waiting)
        }
    }

    private func queue(
        _ value: ByteSlice, to target: DriverProducer.Target, _ driver: ByteSlice, _ waiting: () -> Waiting
    ) -> Queued {
        guard let producer, let share = share(of: driver, target) else { return .later }
        let bytes = driver.count + value.count
        guard producer.shares.admits(share, bytes: bytes) else { return .later }
        let place = flights.reserve()
        let ticket = DriverDeliveryToken.make(loop: number, place: place)
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        let record = KafkaProducer.Record(key: driver, value: value, timestamp: now)
        switch producer.write(record, to: target, ticket: ticket) {
        case .queued:
            producer.shares.add(share, bytes: bytes, at: ClientSession.now)
            flights.fill(place, with: Flight(waiting: waiting(), share: share, bytes: bytes))
            return .yes
        case .queueFull:
            flights.release(place)
            return .later
        case .refused(let error):
            flights.release(place)
            return .failed(error)
        }
    }

    private func share(of driver: ByteSlice, _ target: DriverProducer.Target) -> Int? {
        guard let producer, let partitions else { return nil }
        let partition = murmur2Partition(key: driver, count: partitions)
        return producer.shares.index(topic: target.rawValue, partition: partition)
    }

    /// Whether the queue has room for another record of the driver.
    func hasRoom(for driver: ByteSlice, _ target: DriverProducer.Target, bytes: Int) -> Bool {
        guard let producer, let share = share(of: driver, target) else { return false }
        return producer.shares.admits(share, bytes: driver.count + bytes)
    }

    /// Takes the delivery reports of one poll, and tells each device once.
    func deliver(_ deliveries: [DriverDelivery]) {
        loop.assertInEventLoop()
        let now = ClientSession.now
        for delivery in deliveries {
            let flight = flights.release(delivery.place)
            if let flight { producer?.shares.remove(flight.share, bytes: flight.bytes, at: now) }
            switch flight?.waiting {
            case .session(let session, let ticket, let messageID):
                metrics.count(delivery.error == nil ? .acknowledged : .failed)
                if let error = delivery.error {
                    session.fail(error)
                } else if session.acknowledge(ticket, messageID) {
                    acknowledged.append(session)
                }
            case .upload(let upload):
                metrics.count(delivery.error == nil ? .acknowledged : .failed)
                upload.finish(delivery.error, self)
            case nil: break
            }
        }
        for session in acknowledged { session.tellAcknowledged() }
        acknowledged.removeAll(keepingCapacity: true)
    }
}

/// Warnings.
extension DriverConnectionRegistry {
    /// From now on the device is told of its driver's warnings.
    func addToWarnings(_ session: DriverSession) {
        loop.assertInEventLoop()
        devices[session.driver, default: []].append(session)
        if devices[session.driver]?.count == 1 { watch(session.driver) }
    }

    private func removeFromWarnings(_ session: DriverSession) {
        guard let index = devices[session.driver]?.firstIndex(where: { $0 === session }) else { return }
        devices[session.driver]?.remove(at: index)
        guard devices[session.driver]?.isEmpty == true else { return }
        devices[session.driver] = nil
        guard let partition = partition(of: session.driver) else { return }
        warnings.ask(.unwatch(session.driver, loop: number, times: 1, partitions: [partition]))
    }

    /// Has the driver's partition read from its end, unless that is read already.
    private func watch(_ driver: String) {
        guard let partition = partition(of: driver) else { return }
        warnings.ask(.watch(driver, loop: number, starts: [partition: .end]) { _ in })
    }

    /// The partition of everything about a driver; `nil` until it is known how many there are.
    private func partition(of driver: String) -> Int32? {
        partitions.map { count in ByteSlice.withBytes(of: driver) { murmur2Partition(key: $0, count: count) } }
    }

    /// Expects the events of a partition's warnings to begin again.
    func restartWarnings(of partition: Int32) {
        loop.assertInEventLoop()
        for (driver, sessions) in devices where self.partition(of: driver) == partition {
            for session in sessions { session.restartWarnings() }
        }
    }

    /// Tells the devices of the drivers whom warnings concern.
    func tell(_ deliveries: PartitionIntake<WarningIntakeReader>.Deliveries) {
        loop.assertInEventLoop()
        for delivery in deliveries {
            for session in devices[delivery.name] ?? [] where session.tell(delivery.content) {
                metrics.warnings.increment()
            }
        }
    }
}

/// Trips.
extension DriverConnectionRegistry {
    /// The driver's trips; `nil` where the pipeline is not known to have one.
    func trips(of driver: String) -> KnownTrips? { trips.trips(of: driver) }

    /// Advises the devices of the drivers whose trips may have changed.
    func follow(_ changes: [TripFollower.Change]) {
        loop.assertInEventLoop()
        for change in changes {
            for session in devices[change.driver] ?? [] { session.follow(change.trips) }
        }
    }
}

/// Requests.
extension DriverConnectionRegistry {
    /// Writes what a request brings; its answer comes by the upload itself.
    func take(_ upload: DriverUpload, _ body: ByteBuffer) {
        loop.assertInEventLoop()
        let wait = take(of: upload.driver, at: ClientSession.now)
        if let wait {
            metrics.count(.limited)
            return upload.answer(.limited(milliseconds: wait))
        }
        if let first = uploads[upload.key] { return upload.follow(first, self) }
        body.withUnsafeReadableBytes { bytes in
            ByteSlice.withBytes(of: upload.driver) { driver in upload.read(ByteSlice(bytes), driver, self) }
        }
    }

    /// Writes the trip service's events of a request; its answer comes by the upload itself.
    func take(_ upload: TripUpload, _ body: ByteBuffer) {
        loop.assertInEventLoop()
        if let first = uploads[upload.key] { return upload.follow(first, self) }
        body.withUnsafeReadableBytes { upload.read(ByteSlice($0), self) }
    }

    /// Requests with the same message follow this one until ``forget(_:)``.
    func register(_ upload: RecordUpload) { uploads[upload.key] = upload }

    func forget(_ upload: RecordUpload) {
        if uploads[upload.key] === upload { uploads[upload.key] = nil }
    }

    /// Has events of trips without a driver kept; `take` is told on the loop.
    func keep(
        _ events: [TripRequest], _ take: @escaping @Sendable (Result<RequestStore.Outcome, StoreUnavailable>) -> Void
    ) {
        requests.keep(events) { [loop] result in loop.execute { take(result) } }
    }
}
