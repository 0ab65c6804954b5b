import Kafka
import NIOCore
import Runtime
import Support

/// Sessions of one event loop, and their records that Kafka has not acknowledged.
///
/// Runs on the event loop only, without locks and without a task per message.
final class DriverConnectionRegistry: ConnectionRegistry, @unchecked Sendable {
    // @unchecked: every function but `init` is called on `loop`, which some of them check.
    private static let tickInterval = TimeAmount.seconds(1)
    private static let maximumDrivers = 100_000

    /// Origin of a record that waits for its acknowledgement.
    private enum Origin {
        /// A session's record with its number in the session and the device's message id.
        case session(DriverSession, record: Int, messageID: String?)
        case upload(RecordUpload)
    }

    /// An unacknowledged record and its share of the producer's queue.
    private struct InFlightRecord {
        let origin: Origin
        let share: Int
        let bytes: Int
    }

    /// Result of queuing a record.
    enum QueueResult {
        case queued
        /// The queue is full or the producer not ready; retry later.
        case full
        case failed(KafkaError)
    }

    let loop: any EventLoop
    let settings: DriverGatewaySettings
    let tokens: TokenGate
    let metrics: DriverMetrics
    /// Results are valid until the next call to the reader.
    let reader = DriverMessageReader()
    let tripReader = TripEventReader()
    let socketLimiter: ConnectionLimiter
    private let number: Int
    private let warnings: PartitionIntake<WarningIntakeReader>
    private let trips: TripTracker
    private let requests: RequestStore
    private var producer: DriverProducer?
    /// Partitions per topic; `nil` before the broker has answered.
    private var partitions: Int32?
    private var limits: RateLimits
    private var sessions: [ObjectIdentifier: DriverSession] = [:]
    /// Sessions by driver, for warnings and trips.
    private var devices: [String: [DriverSession]] = [:]
    private var inFlight = InFlightTable<InFlightRecord>()
    /// Requests with unacknowledged records, so that a retry adds no duplicate records.
    private var uploads: [UploadKey: RecordUpload] = [:]
    private var status = ByteWriter()
    /// Sessions with new acknowledgements in the current deliveries.
    private var acknowledged: [DriverSession] = []

    init(
        _ loop: any EventLoop, number: Int, settings: DriverGatewaySettings, tokens: TokenGate,
        socketLimiter: ConnectionLimiter, warnings: PartitionIntake<WarningIntakeReader>, trips: TripTracker,
        requests: RequestStore, metrics: DriverMetrics
    ) {
        precondition(number < DriverDeliveryToken.maximumLoops, "Delivery tokens cannot encode this many event loops.")
        self.loop = loop
        self.number = number
        self.settings = settings
        self.tokens = tokens
        self.socketLimiter = socketLimiter
        self.warnings = warnings
        self.trips = trips
        self.requests = requests
        self.metrics = metrics
        limits = RateLimits(settings.driverLimit, maximumKeys: Self.maximumDrivers)
    }

    /// Starts the timer of the sessions.
    func start() {
        loop.assertInEventLoop()
        loop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { [weak self] _ in
            self?.tick()
        }
    }

    /// Starts to write records and to read warnings.
    ///
    /// `partitions` is the number of partitions of each topic.
    func begin(with producer: DriverProducer, partitions: Int) {
        loop.assertInEventLoop()
        self.producer = producer
        self.partitions = Int32(partitions)
        for driver in devices.keys { watch(driver) }
        for session in sessions.values { session.processWaiting() }
    }

    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler {
        loop.assertInEventLoop()
        let session = DriverSession(handshake, registry: self)
        sessions[ObjectIdentifier(session)] = session
        metrics.sockets.connections.increment()
        session.admit(handshake)
        return session
    }

    func notifyShutdown() {
        loop.assertInEventLoop()
        for session in sessions.values { session.notifyShutdown() }
    }

    func close(_ session: DriverSession) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        metrics.sockets.connections.decrement()
        unsubscribeFromWarnings(session)
    }

    /// Takes a token from the driver's bucket.
    /// - Returns: `nil` if granted, otherwise the wait in milliseconds.
    func acquire(_ driver: String, at now: Timestamp) -> Int64? { limits.acquire(driver, at: now) }

    private func tick() {
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        for session in sessions.values { session.tick(now) }
    }
}

extension DriverConnectionRegistry {
    /// Queues a record of a session; calls `recordIndex` once it is queued.
    func write(
        _ message: DriverRecord, driver: ByteSlice, of session: DriverSession, messageID: String?,
        recordIndex: () -> Int
    ) -> QueueResult {
        queue(message, driver) { .session(session, record: recordIndex(), messageID: messageID) }
    }

    func write(_ message: DriverRecord, driver: ByteSlice, of upload: RecordUpload) -> QueueResult {
        queue(message, driver) { .upload(upload) }
    }

    private func queue(_ message: DriverRecord, _ driver: ByteSlice, _ origin: () -> Origin) -> QueueResult {
        switch message {
        case .locations(let value): return queue(value, to: .locations, driver, origin)
        case .tripStatus(let message):
            status.removeAll()
            TripStatusMapping.write(message, into: &status)
            return queue(status.bytes, to: .trips, driver, origin)
        case .trip(let value): return queue(value, to: .trips, driver, origin)
        }
    }

    private func queue(
        _ value: ByteSlice, to target: DriverProducer.Target, _ driver: ByteSlice, _ origin: () -> Origin
    ) -> QueueResult {
        guard let producer, let share = share(of: driver, target) else { return .full }
        let bytes = driver.count + value.count
        guard producer.shares.admits(share, bytes: bytes) else { return .full }
        let slot = inFlight.reserve()
        let token = DriverDeliveryToken.make(loop: number, slot: slot)
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        let record = KafkaProducer.Record(key: driver, value: value, timestamp: now)
        switch producer.write(record, to: target, token: token) {
        case .queued:
            producer.shares.add(share, bytes: bytes, at: ClientSession.now)
            inFlight.fill(slot, with: InFlightRecord(origin: origin(), share: share, bytes: bytes))
            return .queued
        case .queueFull:
            inFlight.release(slot)
            return .full
        case .refused(let error):
            inFlight.release(slot)
            return .failed(error)
        }
    }

    private func share(of driver: ByteSlice, _ target: DriverProducer.Target) -> Int? {
        guard let producer, let partitions else { return nil }
        let partition = murmur2Partition(key: driver, count: partitions)
        return producer.shares.index(topic: target.rawValue, partition: partition)
    }

    /// Whether the driver's share of the queue has room for another record.
    func hasRoom(for driver: ByteSlice, _ target: DriverProducer.Target, bytes: Int) -> Bool {
        guard let producer, let share = share(of: driver, target) else { return false }
        return producer.shares.admits(share, bytes: driver.count + bytes)
    }

    /// Handles the delivery reports of one poll, and sends one acknowledgement per device.
    func deliver(_ deliveries: [DriverDelivery]) {
        loop.assertInEventLoop()
        let now = ClientSession.now
        for delivery in deliveries {
            guard let flight = inFlight.release(delivery.slot) else { continue }
            producer?.shares.remove(flight.share, bytes: flight.bytes, at: now)
            metrics.count(delivery.error == nil ? .acknowledged : .failed)
            switch flight.origin {
            case .session(let session, let record, let messageID):
                if let error = delivery.error {
                    session.fail(error)
                } else if session.acknowledge(record, messageID) {
                    acknowledged.append(session)
                }
            case .upload(let upload): upload.finish(delivery.error, self)
            }
        }
        for session in acknowledged { session.sendAcknowledgement() }
        acknowledged.removeAll(keepingCapacity: true)
    }
}

extension DriverConnectionRegistry {
    /// Subscribes a device to the warnings of its driver.
    func subscribeToWarnings(_ session: DriverSession) {
        loop.assertInEventLoop()
        devices[session.driver, default: []].append(session)
        if devices[session.driver]?.count == 1 { watch(session.driver) }
    }

    private func unsubscribeFromWarnings(_ session: DriverSession) {
        guard let index = devices[session.driver]?.firstIndex(where: { $0 === session }) else { return }
        devices[session.driver]?.remove(at: index)
        guard devices[session.driver]?.isEmpty == true else { return }
        devices[session.driver] = nil
        guard let partition = partition(of: session.driver) else { return }
        warnings.submit(.unwatch(session.driver, loop: number, times: 1, partitions: [partition]))
    }

    /// Reads the driver's partition from its end, unless it is being read already.
    private func watch(_ driver: String) {
        guard let partition = partition(of: driver) else { return }
        warnings.submit(.watch(driver, loop: number, starts: [partition: .end]) { _ in })
    }

    /// Returns the partition of the driver's records; `nil` before the number of partitions is known.
    private func partition(of driver: String) -> Int32? {
        partitions.map { count in ByteSlice.withBytes(of: driver) { murmur2Partition(key: $0, count: count) } }
    }

    /// Accepts warnings of a partition whose event ids restart.
    func restartWarnings(of partition: Int32) {
        loop.assertInEventLoop()
        for (driver, sessions) in devices where self.partition(of: driver) == partition {
            for session in sessions { session.restartWarnings() }
        }
    }

    /// Sends warnings to the devices of their drivers.
    func sendWarnings(_ deliveries: PartitionIntake<WarningIntakeReader>.Deliveries) {
        loop.assertInEventLoop()
        for delivery in deliveries {
            for session in devices[delivery.name] ?? [] where session.send(delivery.content) {
                metrics.warnings.increment()
            }
        }
    }
}

extension DriverConnectionRegistry {
    /// Returns the driver's trips; `nil` if the pipeline has sent none.
    func trips(of driver: String) -> KnownTrips? { trips.trips(of: driver) }

    /// Updates the devices of drivers whose trips may have changed.
    func updateTrips(_ changes: [TripTracker.Change]) {
        loop.assertInEventLoop()
        for change in changes {
            for session in devices[change.driver] ?? [] { session.update(change.trips) }
        }
    }
}

extension DriverConnectionRegistry {
    /// Handles a device's request; the upload responds.
    func handle(_ upload: DriverUpload, _ body: ByteBuffer) {
        loop.assertInEventLoop()
        if let wait = acquire(upload.driver, at: ClientSession.now) {
            metrics.count(.limited)
            return upload.answer(.limited(milliseconds: wait))
        }
        if let first = uploads[upload.key] { return upload.join(first, self) }
        body.withUnsafeReadableBytes { bytes in
            ByteSlice.withBytes(of: upload.driver) { driver in upload.read(ByteSlice(bytes), driver, self) }
        }
    }

    /// Handles a request of the trip service; the upload responds.
    func handle(_ upload: TripUpload, _ body: ByteBuffer) {
        loop.assertInEventLoop()
        if let first = uploads[upload.key] { return upload.join(first, self) }
        body.withUnsafeReadableBytes { upload.read(ByteSlice($0), self) }
    }

    /// Registers a request, so that duplicates wait for it until ``unregister(_:)``.
    func register(_ upload: RecordUpload) { uploads[upload.key] = upload }

    func unregister(_ upload: RecordUpload) {
        if uploads[upload.key] === upload { uploads[upload.key] = nil }
    }

    /// Stores events of trips without a driver; calls `completion` on the event loop.
    func store(
        _ events: [TripRequest],
        _ completion: @escaping @Sendable (Result<RequestStore.Outcome, StoreUnavailable>) -> Void
    ) {
        requests.store(events) { [loop] result in loop.execute { completion(result) } }
    }
}
