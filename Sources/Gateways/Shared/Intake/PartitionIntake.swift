import CoreMetrics
import Domain
import Kafka
import Logging
import NIOCore
import Runtime
import ServiceLifecycle
import Support
import Synchronization

/// Reads the partitions of a topic that clients need and passes their records to the event loops.
///
/// Runs on one thread. Requests are handled after a poll and before its records are dispatched. The response to a
/// request is therefore ordered with the deliveries: every record from the returned offset on is delivered after it.
final class PartitionIntake<Reader: IntakeReader>: Sendable {
    typealias Name = Reader.Name
    typealias Deliveries = [Delivery<Reader.Name, Reader.Content>]

    enum Request: Sendable {
        /// Starts to watch a name; `starts` are the start positions of partitions that are not read yet.
        case watch(Name, loop: Int, starts: [Int32: KafkaPosition], answer: @Sendable ([Int32: Int64]) -> Void)
        case unwatch(Name, loop: Int, times: Int, partitions: [Int32])
    }

    /// How long a partition is still read after its last subscriber has left.
    private static var idleTime: Duration { .seconds(10) }
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
    ///   - restart: Called on each event loop (by its number) when the offsets of a partition restart, in order with
    ///     the deliveries.
    ///   - deliver: Called on an event loop (by its number) with the deliveries of one poll.
    /// - Throws: ``KafkaError`` if reading cannot continue.
    func run(
        beat: () -> Void = {}, restart: @escaping @Sendable (Int, Int32) -> Void,
        deliver: @escaping @Sendable (Int, Deliveries) -> Void
    ) throws {
        let reader = try KafkaReader(context.kafka, log: WorkerLog.handler(context.logger))
        defer { reader.close() }
        var state = State(reader, context, loops: loops.count)
        while context.control.isRunning {
            try reader.poll(into: state.batch, waitMilliseconds: Self.pollWaitMilliseconds)
            try answer(&state)
            dispatch(&state, restart, deliver)
            beat()
        }
    }

    private struct State {
        let reader: KafkaReader
        let topic: String
        let batch: KafkaBatch
        var table: WatchTable<Name>
        var outgoing: [Deliveries]
        let contents = Reader()
        var lastIdleCheck = ContinuousClock.now
        let records: Counter
        let channels = Meter(.gatewayChannels)
        let partitions = Meter(.gatewayPartitions)

        init(_ reader: KafkaReader, _ context: WorkerContext, loops: Int) {
            self.reader = reader
            topic = context.names.full(Reader.topic.rawValue)
            records = Counter(.recordsIn, [(.stage, context.name), (.topic, Reader.topic.rawValue)])
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
            case .unwatch(let channel, let loop, let times, let partitions):
                state.table.unwatch(channel, loop: loop, times: times, partitions)
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
        guard state.lastIdleCheck + Self.idleTime <= now else { return }
        state.lastIdleCheck = now
        state.channels.set(state.table.channelCount)
        let idle = state.table.removeIdlePartitions().map { TopicPartition(topic: state.topic, partition: $0) }
        state.partitions.set(state.table.partitionCount)
        guard !idle.isEmpty else { return }
        do { try state.reader.remove(idle) } catch {
            context.logger.warning("Could not stop reading idle partitions.", metadata: .of([.error: "\(error)"]))
        }
    }

    private func dispatch(
        _ state: inout State, _ restart: @escaping @Sendable (Int, Int32) -> Void,
        _ deliver: @escaping @Sendable (Int, Deliveries) -> Void
    ) {
        state.records.increment(by: state.batch.count)
        for index in 0..<state.batch.count {
            guard let message = state.batch.message(at: index) else {
                logFailure(of: state.batch[index])
                continue
            }
            let record = message.record
            switch state.table.advance(record.partition, past: record.offset) {
            case .next: break
            case .unread: continue
            case .restart: announceRestart(of: record.partition, at: record.offset, &state, restart, deliver)
            }
            guard let channel = state.table.channel(record.key), let value = record.value,
                let content = state.contents.content(of: value)
            else { continue }
            let delivery = Delivery(name: channel.name, content: content)
            for loop in loops.indices where channel.subscriptions[loop] > 0 { state.outgoing[loop].append(delivery) }
        }
        state.batch.removeAll()
        send(&state, deliver)
    }

    private func send(_ state: inout State, _ deliver: @escaping @Sendable (Int, Deliveries) -> Void) {
        for loop in loops.indices where !state.outgoing[loop].isEmpty {
            let deliveries = state.outgoing[loop]
            state.outgoing[loop].removeAll(keepingCapacity: true)
            loops[loop].execute { deliver(loop, deliveries) }
        }
    }

    private func announceRestart(
        of partition: Int32, at offset: Int64, _ state: inout State,
        _ restart: @escaping @Sendable (Int, Int32) -> Void,
        _ deliver: @escaping @Sendable (Int, Deliveries) -> Void
    ) {
        context.logger.warning(
            "Offsets of a partition restarted; its channels are reset.",
            metadata: .of([.topic: "\(state.topic)", .partition: "\(partition)"]))
        send(&state, deliver)
        for loop in loops.indices { loops[loop].execute { restart(loop, partition) } }
    }

    private func logFailure(of entry: KafkaBatch.Entry?) {
        guard case .failure(_, _, _, let error)? = entry else { return }
        context.logger.warning("A partition cannot be read.", metadata: .of([.error: "\(error)"]))
    }
}

/// Content of a record for the clients of one event loop that watch `name`.
struct Delivery<Name: Sendable, Content: Sendable>: Sendable {
    let name: Name
    let content: Content
}

/// Extracts the content for clients from the records of a topic; one instance per thread.
protocol IntakeReader {
    /// Name of a channel that clients subscribe to; its description is the key of its records.
    associatedtype Name: Hashable & Sendable & CustomStringConvertible
    /// Message that clients receive for a record.
    associatedtype Content: Sendable

    static var topic: PipelineTopic { get }

    init()

    /// Returns the content of a record's value; `nil` if it has none for clients.
    func content(of value: ByteSlice) -> Content?
}
