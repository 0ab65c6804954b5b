import CoreMetrics
import Domain
import Kafka
import Logging
import NIOCore
import Runtime
import Support
import Synchronization

/// Reader of a topic's partitions that clients need, which passes their records to the event loops.
///
/// Runs on one thread. Requests are handled after a poll and before the poll's records are dispatched. So every record
/// from the returned offset on is delivered after the answer to the request.
final class PartitionIntake<Extractor: ContentExtractor>: Sendable {
    typealias Name = Extractor.Name
    /// Contents of records for those clients of an event loop that watch the channel `name`.
    typealias Deliveries = [(name: Extractor.Name, content: Extractor.Content)]

    enum Request: Sendable {
        /// Subscribes an event loop to a channel; `starts` are the positions at which new partitions are read.
        case watch(Name, loop: Int, starts: [Int32: KafkaPosition], answer: @Sendable ([Int32: Int64]) -> Void)
        /// Reverts `count` watches of a channel.
        case unwatch(Name, loop: Int, count: Int, partitions: [Int32])
    }

    /// Interval of the check for partitions without subscribers.
    private static var idleCheckInterval: Duration { .seconds(10) }
    private static var pollWaitMilliseconds: Int { 20 }

    private let context: WorkerContext
    private let loops: [any EventLoop]
    private let requests = Mutex<[Request]>([])

    init(context: WorkerContext, loops: [any EventLoop]) {
        self.context = context
        self.loops = loops
    }

    /// Submits a request; safe to call on any thread.
    func submit(_ request: Request) { requests.withLock { $0.append(request) } }

    /// Reads until shutdown, on a dedicated thread.
    ///
    /// - Parameters:
    ///   - beat: Called after every poll.
    ///   - restart: Called on each event loop (by its number) when offsets of a partition restart, in delivery order.
    ///   - deliver: Called on an event loop (by its number) with the deliveries of one poll.
    /// - Throws: ``KafkaError`` if reading cannot continue.
    func run(
        beat: () -> Void = {}, restart: @escaping @Sendable (Int, Int32) -> Void,
        deliver: @escaping @Sendable (Int, Deliveries) -> Void
    ) throws {
        let reader = try KafkaReader(context.kafka, log: WorkerLog.handler(context.logger))
        defer { reader.close() }
        var state = State(reader, context, loops: loops.count, restart: restart, deliver: deliver)
        while context.control.isRunning {
            try reader.poll(into: state.batch, waitMilliseconds: Self.pollWaitMilliseconds)
            try answer(&state)
            dispatch(&state)
            beat()
        }
    }

    private struct State {
        let reader: KafkaReader
        let topic: String
        let batch: KafkaBatch
        var table: WatchTable<Name>
        var outgoing: [Deliveries]
        let extractor = Extractor()
        var lastIdleCheck = ContinuousClock.now
        let records: Counter
        let channels = Meter(.gatewayChannels)
        let partitions = Meter(.gatewayPartitions)
        let restart: @Sendable (Int, Int32) -> Void
        let deliver: @Sendable (Int, Deliveries) -> Void

        init(
            _ reader: KafkaReader, _ context: WorkerContext, loops: Int,
            restart: @escaping @Sendable (Int, Int32) -> Void, deliver: @escaping @Sendable (Int, Deliveries) -> Void
        ) {
            self.reader = reader
            self.restart = restart
            self.deliver = deliver
            topic = context.names.full(Extractor.topic.rawValue)
            records = Counter(.recordsIn, [(.stage, context.name), (.topic, Extractor.topic.rawValue)])
            batch = reader.makeBatch(capacity: 4096)
            table = WatchTable(loops: loops)
            outgoing = Array(repeating: [], count: loops)
        }
    }

    private func answer(_ state: inout State) throws {
        for request in requests.withLock({ requests in
            defer { requests.removeAll(keepingCapacity: true) }
            return requests
        }) {
            switch request {
            case .watch(let channel, let loop, let starts, let answer):
                let (offsets, new) = state.table.watch(channel, loop: loop, starts)
                try read(new, &state)
                loops[loop].execute { answer(offsets) }
            case .unwatch(let channel, let loop, let count, let partitions):
                state.table.unwatch(channel, loop: loop, count: count, partitions)
            }
        }
        releaseIdlePartitions(&state)
    }

    private func read(_ starts: [Int32: KafkaPosition], _ state: inout State) throws {
        guard !starts.isEmpty else { return }
        let positions = starts.map { (TopicPartition(topic: state.topic, partition: $0), $1) }
        try state.reader.add(Dictionary(uniqueKeysWithValues: positions))
    }

    private func releaseIdlePartitions(_ state: inout State) {
        let now = ContinuousClock.now
        guard state.lastIdleCheck + Self.idleCheckInterval <= now else { return }
        state.lastIdleCheck = now
        state.channels.set(state.table.channelCount)
        let idle = state.table.removeIdlePartitions().map { TopicPartition(topic: state.topic, partition: $0) }
        state.partitions.set(state.table.partitionCount)
        guard !idle.isEmpty else { return }
        do { try state.reader.remove(idle) } catch {
            context.logger.warning("Failed to stop reading idle partitions.", metadata: .of([.error: "\(error)"]))
        }
    }

    private func dispatch(_ state: inout State) {
        state.records.increment(by: state.batch.count)
        for index in 0..<state.batch.count {
            guard let message = state.batch.message(at: index) else {
                logFailure(of: state.batch[index])
                continue
            }
            let record = message.record
            switch state.table.advance(record.partition, past: record.offset) {
            case .next: break
            case .released: continue
            case .restart: announceRestart(of: record.partition, &state)
            }
            guard let channel = state.table.channel(record.key), let value = record.value,
                let content = state.extractor.content(of: value)
            else { continue }
            for loop in loops.indices where channel.subscriptions[loop] > 0 {
                state.outgoing[loop].append((channel.name, content))
            }
        }
        state.batch.removeAll()
        send(&state)
    }

    private func send(_ state: inout State) {
        for loop in loops.indices where !state.outgoing[loop].isEmpty {
            let deliveries = state.outgoing[loop]
            state.outgoing[loop].removeAll(keepingCapacity: true)
            loops[loop].execute { [deliver = state.deliver] in deliver(loop, deliveries) }
        }
    }

    private func announceRestart(of partition: Int32, _ state: inout State) {
        context.logger.warning(
            "Offsets of a partition restarted; its channels are reset.",
            metadata: .of([.topic: "\(state.topic)", .partition: "\(partition)"]))
        send(&state)
        for loop in loops.indices { loops[loop].execute { [restart = state.restart] in restart(loop, partition) } }
    }

    /// Logs a failed read; the error's text contains the partition.
    private func logFailure(of entry: KafkaBatch.Entry?) {
        guard case .failure(_, _, _, let error)? = entry else { return }
        context.logger.warning("Failed to read the topic.", metadata: .of([.error: "\(error)"]))
    }
}

/// Extractor of the content for clients from the records of a topic; use one instance per thread.
protocol ContentExtractor {
    /// Name of a channel that clients watch; its description is the key of the channel's records.
    associatedtype Name: Hashable & Sendable & CustomStringConvertible
    /// Message that clients receive for a record.
    associatedtype Content: Sendable

    static var topic: PipelineTopic { get }

    init()

    /// Returns the content of a record's value; `nil` if the value has no content for clients.
    func content(of value: ByteSlice) -> Content?
}
