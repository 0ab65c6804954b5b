import Codec
import Domain
import Foundation
import Kafka
import Logging
import PositionWorker
import Processing
import Redis
import Runtime
import Support

/// Sink that sends push notifications to the devices registered for a trip.
///
/// Reads `rider.updates`, and the devices of a trip from Redis (`devices:{trip}`: field `apns:TOKEN` or `fcm:TOKEN`,
/// value the phone's language). The progress of a partition, `progress:push:rider.updates:{partition}`, advances when
/// each message of the batch has a ``PushJob/Result`` and dead letters are written. Messages are delivered at least
/// once; phones detect duplicates by the event id.
package final class PushSink: Sink {
    package static let name = "push"
    package static let topics = [PipelineTopic.riderUpdates.rawValue]

    /// Message for one device, with its record.
    private typealias Delivery = (key: PushKey, item: PushBatch.Item)

    let configuration: PushSinkConfiguration
    let watermarks: RedisWatermarks
    private let courier: PushCourier
    private let makeTransport: @Sendable () -> any PushTransport
    let logger: Logger
    let metrics = PushMetrics()
    /// Name of this process in the consumer group of ended requests.
    let consumer = UUID().uuidString
    var hasRequestGroup = false
    /// Jobs of ended requests that are unacknowledged and no older than ``PushSinkConfiguration/maximumAge``.
    var requestJobs: [PushKey: PushJob] = [:]
    private let reader = RiderUpdateReader()
    private let envelopes = RiderUpdateEnvelopeReader()
    private var connection: RedisConnection?
    private var transport: (any PushTransport)?
    private var letters: PushDeadLetters?
    var commands = RedisCommands(capacity: 4096)
    /// Jobs of the current batch, so that a retry of the batch does not repeat completed deliveries.
    var jobs: [PushKey: PushJob] = [:]

    /// `makeTransport` is called once, on the worker's thread.
    init(
        _ configuration: PushSinkConfiguration, courier: PushCourier, logger: Logger,
        makeTransport: @escaping @Sendable () -> any PushTransport
    ) {
        self.configuration = configuration
        watermarks = RedisWatermarks(keyPrefix: "\(configuration.keyPrefix)progress:push:")
        self.courier = courier
        self.logger = logger
        self.makeTransport = makeTransport
    }

    // Closed here and not in disconnect(), because APNs and FCM penalise frequent reconnects. The
    // worker's thread may block here.
    deinit { transport?.close() }

    package func connect() throws {
        if connection == nil { connection = try RedisConnection(configuration.redis) }
        if letters == nil {
            letters = try PushDeadLetters(configuration.kafka, names: configuration.names, logger: logger)
        }
        if transport == nil { transport = makeTransport() }
    }

    package func disconnect() {
        connection = nil
        commands.removeAll()
        letters?.close()
        letters = nil
    }

    package func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        guard !partitions.isEmpty else { return [:] }
        return try withConnection { try watermarks.positions(of: partitions, over: $0) }
    }

    package func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        guard !batches.isEmpty else { return SinkReport() }
        return try withConnection { connection in
            var batch = try collect(batches, over: connection)
            let deliveries = try deliveries(of: batch, over: connection)
            try deliver(deliveries)
            batch.report.written = try writeDeadLetters(deliveries)
            let unregistered = deliveries.map(\.key).filter { jobs[$0]?.result == .unregistered }
            try finish(batch, unregistered: unregistered, over: connection)
            if batch.expired > 0 { metrics.expired.increment(by: batch.expired) }
            jobs.removeAll()
            return batch.report
        }
    }

    package func now() throws -> Timestamp {
        try withConnection { try $0.call("TIME").time() }
    }

    /// Sends the notifications for requests that ended without a driver.
    package func maintain(now: Timestamp) throws {
        try withConnection { try deliverRequests(over: $0, now: now) }
    }

    /// Runs `body` with a connection; closes the connection after an error, because replies may be outstanding.
    private func withConnection<Result>(_ body: (RedisConnection) throws -> Result) throws -> Result {
        try connect()
        guard let connection else { preconditionFailure("connect() returned without a connection.") }
        do {
            return try body(connection)
        } catch {
            self.connection = nil
            commands.removeAll()
            throw error
        }
    }

    // MARK: Delivery

    private func collect(_ batches: [PartitionBatch], over connection: RedisConnection) throws -> PushBatch {
        let (stored, now) = try watchProgress(of: batches.map(\.partition), over: connection)
        let oldest = Timestamp(milliseconds: now.milliseconds - configuration.maximumAge.wholeMilliseconds)
        var batch = PushBatch(oldest: oldest, reader, envelopes)
        for (one, watermark) in zip(batches, stored) { batch.add(one, stored: watermark ?? .start) }
        return batch
    }

    /// Returns one delivery per message and device, and adds missing jobs.
    private func deliveries(of batch: PushBatch, over connection: RedisConnection) throws -> [Delivery] {
        let devices = try devices(of: Set(batch.items.map(\.message.tripID)), over: connection)
        var deliveries: [Delivery] = []
        for item in batch.items {
            for device in devices[item.message.tripID] ?? [] {
                guard let key = addJob(item.message, device, to: &jobs) else { continue }
                deliveries.append((key, item))
            }
        }
        return deliveries
    }

    /// Adds the job of a message for a device if missing; `nil` if the device's service is not configured.
    func addJob(_ message: PushMessage, _ device: PushDevice, to jobs: inout [PushKey: PushJob]) -> PushKey? {
        guard let request = configuration.rendering.request(message, for: device) else {
            metrics.add(.unconfigured, device.platform)
            return nil
        }
        let key = PushKey(event: message.eventID, trip: message.tripID, device: device)
        if jobs[key] == nil { jobs[key] = PushJob(request) }
        return key
    }

    /// Delivers the notifications of a batch that have no result.
    /// - Throws: a retriable ``SinkError`` if a notification has no result in time.
    private func deliver(_ deliveries: [Delivery]) throws {
        let keys = deliveries.map(\.key).filter { jobs[$0]?.result == nil }
        try deliver(keys, of: &jobs, for: configuration.deliveryTimeout)
        let left = keys.count { jobs[$0]?.result == nil }
        guard left == 0 else {
            throw SinkError(
                "\(left) of \(keys.count) notifications were not delivered in time; they are retried.",
                isRetriable: true)
        }
    }

    /// Delivers the jobs of `keys` for up to `deliveryTimeout`, and counts the results.
    func deliver(_ keys: [PushKey], of jobs: inout [PushKey: PushJob], for deliveryTimeout: Duration) throws {
        guard let transport else { preconditionFailure("Notifications are delivered only by a connected sink.") }
        guard !keys.isEmpty else { return }
        let open = keys.compactMap { jobs[$0] }
        let deadline = ContinuousClock.now + deliveryTimeout
        // The worker's thread may block here.
        let done = WorkerThread.wait { [courier] in await courier.deliver(open, over: transport, until: deadline) }
        for (key, (before, after)) in zip(keys, zip(open, done)) {
            jobs[key] = after
            metrics.addRetries(after.attempts - before.attempts, key.device.platform)
            if let result = after.result { metrics.add(PushMetrics.Outcome(result), key.device.platform) }
        }
    }

    /// Writes dead letters for undelivered notifications.
    /// - Returns: the number of delivered notifications.
    private func writeDeadLetters(_ deliveries: [Delivery]) throws -> Int {
        guard let letters else { preconditionFailure("A batch is written only by a connected sink.") }
        var delivered = 0
        for delivery in deliveries {
            let (record, event, platform) = (delivery.item.record, delivery.item.event, delivery.key.device.platform)
            switch jobs[delivery.key]?.result {
            case .delivered: delivered += 1
            case .refused(let reason):
                letters.add(
                    record, event: event, code: PushDeadLetters.refused,
                    message: "\(platform.rawValue) refused the notification for one device: \(reason).")
            case .abandoned(let reason):
                letters.add(
                    record, event: event, code: PushDeadLetters.abandoned,
                    message: "Retries of the notification for one device at \(platform.rawValue) failed: \(reason).")
            case .unregistered, nil: break
            }
        }
        try letters.flush()
        return delivered
    }
}

extension PushMetrics.Outcome {
    fileprivate init(_ result: PushJob.Result) {
        switch result {
        case .delivered: self = .delivered
        case .unregistered: self = .unregistered
        case .refused: self = .refused
        case .abandoned: self = .abandoned
        }
    }
}

struct PushSinkConfiguration: Sendable {
    var redis: RedisConfiguration
    var keyPrefix: String
    var kafka: KafkaConfiguration
    var names: TopicNames
    var rendering: PushRendering
    /// Maximum age of an event; older events are not sent.
    var maximumAge: Duration
    /// Maximum delivery time of one ``PushSink/write(_:meanwhile:)``, so that the worker can rebalance and stop.
    ///
    /// Together with the timeout of the last requests, it must be shorter than the shutdown timeout.
    var deliveryTimeout = Duration.seconds(8)
    /// Lifetime of a trip's devices after its end.
    var keptAfterEnd = Duration.seconds(24 * 3600)
}
