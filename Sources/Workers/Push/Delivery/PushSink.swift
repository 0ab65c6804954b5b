import Codec
import Foundation
import Logging
import Model
import NIOCore
import NIOPosix
import Processing
import Redis
import Support

/// Tells phones what happened to the trips that their apps have registered them for.
///
/// Reads `rider.updates`, and in Redis the devices of a trip (`devices:{trip}`: the field `apns:TOKEN` or `fcm:TOKEN`
/// with the phone's language). A partition's clock, `progress:push:rider.updates:{partition}`, moves on when a service or
/// the dead letters have what the batch has to tell, so each message is delivered at least once; the services and phones
/// know a repeated one by its event id.
package final class PushSink: Sink {
    package static let name = "push"
    package static let topics = [PipelineTopic.riderUpdates.rawValue]

    let configuration: PushSinkConfiguration
    private let courier: PushCourier
    private let makeTransport: @Sendable () -> any PushTransport
    let logger: Logger
    let metrics = PushMetrics(stage: name)
    /// The name of this process in the group that reads ended requests.
    let consumer = UUID().uuidString
    var hasRequestGroup = false
    /// The jobs of ended requests that are not acknowledged, up to ``PushSinkConfiguration/maximumAge``.
    var requestJobs: [PushKey: PushJob] = [:]
    private let reader = RiderUpdateReader()
    private let envelopes = RiderUpdateEnvelopeReader()
    private var connection: RedisConnection?
    private var transport: (any PushTransport)?
    private var letters: PushDeadLetters?
    var commands = RedisCommands(capacity: 4096)
    /// The jobs of a batch that is not written yet: what is delivered is not delivered again with the rest.
    var jobs: [PushKey: PushJob] = [:]

    /// `makeTransport`: called once, on the worker's thread.
    package init(
        _ configuration: PushSinkConfiguration, courier: PushCourier, logger: Logger,
        makeTransport: @escaping @Sendable () -> any PushTransport
    ) {
        self.configuration = configuration
        self.courier = courier
        self.logger = logger
        self.makeTransport = makeTransport
    }

    // The connections to the services stay while Redis is away: the services dislike frequent ones. The worker's thread
    // lets go of the sink, and may block.
    deinit { transport?.close() }

    package func connect() throws {
        if connection == nil { connection = try RedisConnection(configuration.redis) }
        if letters == nil {
            letters = try PushDeadLetters(
                configuration.kafka, names: configuration.names, stage: Self.name, logger: logger)
        }
        if transport == nil { transport = makeTransport() }
    }

    package func disconnect() {
        connection = nil
        commands.removeAll()
        letters?.close()
        letters = nil
    }

    package func clocks(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64] {
        guard !partitions.isEmpty else { return [:] }
        return try withConnection { connection in
            addClockRead(of: partitions)
            try connection.send(&commands)
            let stored = try storedClocks(in: try connection.receive(), of: partitions)
            var clocks: [SinkPartition: Int64] = [:]
            for (partition, clock) in zip(partitions, stored) { clocks[partition] = clock?.next }
            return clocks
        }
    }

    package func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        guard !batches.isEmpty else { return SinkReport() }
        return try withConnection { connection in
            var batch = try take(batches, over: connection)
            if !batch.items.isEmpty {
                let deliveries = try deliveries(of: batch, over: connection)
                try deliver(deliveries)
                batch.report.written = try settle(deliveries)
                try finish(batch, unregistered: unregistered(in: deliveries), over: connection)
            } else {
                try finish(batch, unregistered: [], over: connection)
            }
            if batch.expired > 0 { metrics.expired.increment(by: batch.expired) }
            jobs.removeAll()
            return batch.report
        }
    }

    package func now() throws -> Timestamp {
        try withConnection { connection in try Self.time(try connection.call("TIME")) }
    }

    /// Sends the notifications of requests that ended without a driver.
    package func maintain(now: Timestamp) throws {
        try withConnection { try deliverRequests(over: $0, now: now) }
    }

    /// Runs `body` over the connection, which is given up after any error: answers may still be under way.
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

    private func take(_ batches: [PartitionBatch], over connection: RedisConnection) throws -> PushBatch {
        let (stored, now) = try watchClocks(of: batches.map(\.partition), over: connection)
        let oldest = Timestamp(milliseconds: now.milliseconds - configuration.maximumAge.wholeMilliseconds)
        var batch = PushBatch(oldest: oldest, reader, envelopes)
        for (one, clock) in zip(batches, stored) { batch.add(one, stored: clock ?? .start) }
        return batch
    }

    /// What is to be brought to which devices.
    private func deliveries(of batch: PushBatch, over connection: RedisConnection) throws -> [PushDelivery] {
        let devices = try devices(of: Set(batch.items.map(\.message.tripID)), over: connection)
        var deliveries: [PushDelivery] = []
        for item in batch.items {
            for device in devices[item.message.tripID] ?? [] {
                guard let request = configuration.rendering.request(item.message, for: device) else {
                    metrics.add(.unconfigured, device.platform)
                    continue
                }
                let key = PushKey(event: item.message.eventID, trip: item.message.tripID, device: device)
                if jobs[key] == nil { jobs[key] = PushJob(request) }
                deliveries.append(PushDelivery(key: key, item: item))
            }
        }
        return deliveries
    }

    /// Delivers the notifications of a batch that have no result.
    /// - Throws: a retriable ``PushSinkError`` when one has no result after a while.
    private func deliver(_ deliveries: [PushDelivery]) throws {
        let keys = deliveries.map(\.key).filter { jobs[$0]?.result == nil }
        try deliver(keys, of: &jobs, for: configuration.patience)
        let left = keys.count { jobs[$0]?.result == nil }
        guard left == 0 else {
            throw PushSinkError(
                description: "\(left) of \(keys.count) notifications are not delivered yet; they are tried again.",
                isRetriable: true)
        }
    }

    /// Delivers jobs that have no result until `patience` is over, and counts the results.
    func deliver(_ keys: [PushKey], of jobs: inout [PushKey: PushJob], for patience: Duration) throws {
        guard let transport else { preconditionFailure("Notifications are delivered by a sink that is connected.") }
        guard !keys.isEmpty else { return }
        let open = keys.compactMap { jobs[$0] }
        let deadline = ContinuousClock.now + patience
        // The worker's thread may block, and has nothing else to do.
        let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: [PushJob].self)
        promise.completeWithTask { [courier] in await courier.deliver(open, over: transport, until: deadline) }
        let done = try promise.futureResult.wait()
        for (key, (before, after)) in zip(keys, zip(open, done)) {
            jobs[key] = after
            metrics.addRetries(after.attempts - before.attempts, key.device.platform)
            if let result = after.result { metrics.add(PushMetrics.Outcome(result), key.device.platform) }
        }
    }

    /// Writes dead letters for what no service took.
    /// - Returns: how many notifications were delivered.
    private func settle(_ deliveries: [PushDelivery]) throws -> Int {
        guard let letters else { preconditionFailure("A batch is written by a sink that is connected.") }
        var delivered = 0
        for delivery in deliveries {
            let (record, event, platform) = (delivery.item.record, delivery.item.event, delivery.key.device.platform)
            switch jobs[delivery.key]?.result {
            case .delivered: delivered += 1
            case .refused(let reason):
                letters.add(
                    record, event: event, code: PushDeadLetters.refused,
                    message: "\(platform.rawValue) refuses the notification for one device: \(reason).")
            case .abandoned(let reason):
                letters.add(
                    record, event: event, code: PushDeadLetters.abandoned,
                    message: "\(platform.rawValue) did not take the notification for one device: \(reason).")
            case .unregistered, nil: break
            }
        }
        try letters.flush()
        return delivered
    }

    private func unregistered(in deliveries: [PushDelivery]) -> [PushKey] {
        deliveries.map(\.key).filter { jobs[$0]?.result == .unregistered }
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
