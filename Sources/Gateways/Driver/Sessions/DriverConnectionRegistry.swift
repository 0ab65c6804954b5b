import Kafka
import NIOCore
import Runtime
import Support

/// Parts of the gateway that the registries of all event loops share.
struct DriverShared: Sendable {
    let settings: DriverGatewaySettings
    let tokens: TokenVerifier
    let socketLimiter: ConnectionLimiter
    let warnings: PartitionIntake<WarningExtractor>
    let trips: TripTracker
    let requests: RequestStore
    let metrics = DriverMetrics()
}

/// Sessions and uploads of one event loop, and their records that Kafka has not acknowledged.
///
/// Runs on the event loop only, without locks and without a task per message.
final class DriverConnectionRegistry: ConnectionRegistry, @unchecked Sendable {
    // @unchecked: every function but `init` is called on `loop`, which some of them check.
    private static let maximumDrivers = 100_000

    /// An unacknowledged record and the index of its share in the producer's queue.
    private struct InFlightRecord {
        let origin: RecordOrigin
        let share: Int
        let bytes: Int
    }

    let loop: any EventLoop
    let shared: DriverShared
    /// Reader whose results are valid until its next call.
    let reader = DriverMessageReader()
    let tripReader = TripEventReader()
    private let loopIndex: Int
    private var producer: DriverProducer?
    /// Partitions per topic; `nil` before the broker has answered.
    private var partitions: Int32?
    private var limits: RateLimits
    private var sessions: [ObjectIdentifier: DriverSession] = [:]
    /// Sessions by driver, for warnings and trips.
    private var devices: [String: [DriverSession]] = [:]
    private var inFlight: [Int: InFlightRecord] = [:]
    private var nextRecord = 0
    /// HTTP requests with unacknowledged records, so that a retry adds no duplicate records.
    private var uploads: [UploadKey: RecordUpload] = [:]
    /// Sessions with new acknowledgements in the current deliveries.
    private var acknowledged: [DriverSession] = []

    init(_ loop: any EventLoop, number: Int, _ shared: DriverShared) {
        precondition(number < DriverDeliveryToken.maximumLoops, "Delivery tokens cannot encode this many event loops.")
        self.loop = loop
        loopIndex = number
        self.shared = shared
        limits = RateLimits(shared.settings.driverLimit, maximumKeys: Self.maximumDrivers)
    }

    var metrics: DriverMetrics { shared.metrics }

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

    /// Counts a message against the driver's rate limit.
    /// - Returns: `nil` if the message is within the limit, otherwise the wait in milliseconds.
    func acquire(_ driver: String, at now: Timestamp) -> Int64? { limits.acquire(driver, at: now) }

    func tick() {
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        for session in sessions.values { session.tick(now) }
    }
}

extension DriverConnectionRegistry {
    /// Queues a record; `origin` receives the delivery report.
    /// - Returns: `queueFull` also if the partition's share is full, or if there is no producer yet.
    func queue(
        _ value: ByteSlice, to target: DriverProducer.Target, driver: ByteSlice, from origin: RecordOrigin
    ) -> KafkaProducer.ProduceResult {
        guard let producer, let share = share(of: driver, target) else { return .queueFull }
        let bytes = driver.count + value.count
        guard producer.shares.admits(share, bytes: bytes) else { return .queueFull }
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        let result = producer.write(
            KafkaProducer.Record(key: driver, value: value, timestamp: now), to: target,
            token: DriverDeliveryToken.make(loop: loopIndex, record: nextRecord))
        guard case .queued = result else { return result }
        inFlight[nextRecord] = InFlightRecord(origin: origin, share: share, bytes: bytes)
        nextRecord += 1
        producer.shares.add(share, bytes: bytes, at: ClientSession.now)
        return result
    }

    private func share(of driver: ByteSlice, _ target: DriverProducer.Target) -> Int? {
        guard let producer, let partitions else { return nil }
        let partition = murmur2Partition(key: driver, count: partitions)
        return producer.shares.index(topic: target.rawValue, partition: partition)
    }

    /// Returns whether the queue's share of the driver's partition has room for another record.
    func hasRoom(for driver: ByteSlice, _ target: DriverProducer.Target, bytes: Int) -> Bool {
        guard let producer, let share = share(of: driver, target) else { return false }
        return producer.shares.admits(share, bytes: driver.count + bytes)
    }

    /// Handles the delivery reports of one poll, and sends one acknowledgement per session.
    func deliver(_ deliveries: [DriverDelivery]) {
        loop.assertInEventLoop()
        let now = ClientSession.now
        for delivery in deliveries {
            guard let flight = inFlight.removeValue(forKey: delivery.record) else { continue }
            producer?.shares.remove(flight.share, bytes: flight.bytes, at: now)
            metrics.count(delivery.error == nil ? .acknowledged : .failed)
            switch flight.origin {
            case .session(let session, let record, let messageID):
                if let error = delivery.error {
                    session.fail(error)
                } else if session.acknowledge(record, messageID) {
                    acknowledged.append(session)
                }
            case .upload(let upload): upload.finish(delivery.error)
            }
        }
        for session in acknowledged { session.sendAcknowledgement() }
        acknowledged.removeAll(keepingCapacity: true)
    }
}

extension DriverConnectionRegistry {
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
        shared.warnings.submit(.unwatch(session.driver, loop: loopIndex, count: 1, partitions: [partition]))
    }

    /// Subscribes to the driver's warnings; a partition that is not read yet is read from its end.
    private func watch(_ driver: String) {
        guard let partition = partition(of: driver) else { return }
        shared.warnings.submit(.watch(driver, loop: loopIndex, starts: [partition: .end]) { _ in })
    }

    /// Returns the partition of the driver's records; `nil` before the number of partitions is known.
    private func partition(of driver: String) -> Int32? {
        partitions.map { count in ByteSlice.withBytes(of: driver) { murmur2Partition(key: $0, count: count) } }
    }

    /// Resets the warning filters of a partition's drivers, because its event ids restart.
    func restartWarnings(of partition: Int32) {
        loop.assertInEventLoop()
        for (driver, sessions) in devices where self.partition(of: driver) == partition {
            for session in sessions { session.restartWarnings() }
        }
    }

    func sendWarnings(_ deliveries: PartitionIntake<WarningExtractor>.Deliveries) {
        loop.assertInEventLoop()
        for delivery in deliveries {
            for session in devices[delivery.name] ?? [] where session.send(delivery.content) {
                metrics.warnings.increment()
            }
        }
    }
}

extension DriverConnectionRegistry {
    func trips(of driver: String) -> KnownTrips? { shared.trips.trips(of: driver) }

    func updateTrips(_ changes: [TripTracker.Change]) {
        loop.assertInEventLoop()
        for change in changes {
            for session in devices[change.driver] ?? [] { session.update(change.trips) }
        }
    }
}

extension DriverConnectionRegistry {
    /// Handles a device's HTTP request; `upload` sends the response.
    func handle(_ upload: RecordUpload, _ body: ByteBuffer, _ deviceState: DeviceState) {
        loop.assertInEventLoop()
        if let wait = acquire(upload.key.subject, at: ClientSession.now) {
            metrics.count(.limited)
            return upload.answer(.failure(.tooFast("messages of this driver", wait)))
        }
        if let first = uploads[upload.key] { return upload.join(first) }
        body.withUnsafeReadableBytes { bytes in
            ByteSlice.withBytes(of: upload.key.subject) { upload.read(ByteSlice(bytes), $0, deviceState) }
        }
    }

    func handleTrips(_ upload: RecordUpload, _ body: ByteBuffer) {
        loop.assertInEventLoop()
        if let first = uploads[upload.key] { return upload.join(first) }
        body.withUnsafeReadableBytes { upload.readTrips(ByteSlice($0)) }
    }

    func register(_ upload: RecordUpload) { uploads[upload.key] = upload }

    func unregister(_ upload: RecordUpload) {
        if uploads[upload.key] === upload { uploads[upload.key] = nil }
    }

    /// Stores events of trips without a driver; calls `completion` on the event loop.
    func store(
        _ events: [TripRequest],
        _ completion: @escaping @Sendable (Result<RequestStore.Outcome, StoreUnavailable>) -> Void
    ) {
        shared.requests.store(events) { [loop] result in loop.execute { completion(result) } }
    }
}
