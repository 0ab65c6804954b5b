import CoreMetrics
import Kafka
import Logging
import NIOCore
import Runtime
import ServiceLifecycle
import Synchronization

/// Reads the partitions of a topic that clients need, and hands what they watch to their event loops.
///
/// One thread. Requests are taken after a poll and before its records are handed out, so that the answer to a request
/// stands in order with the deliveries: every record from the answered offset on comes after it.
final class PartitionIntake<Reader: IntakeReader>: Sendable {
    typealias Name = Reader.Name
    typealias Deliveries = [Delivery<Reader.Name, Reader.Content>]

    enum Request: Sendable {
        /// `starts`: where to begin with each partition that is not read yet.
        case watch(Name, loop: Int, starts: [Int32: KafkaPosition], answer: @Sendable ([Int32: Int64]) -> Void)
        case unwatch(Name, loop: Int, times: Int, partitions: [Int32])
    }

    /// How long a partition is still read when the last client that needs it has gone.
    private static var idleTime: Duration { .seconds(10) }
    private static var pollWaitMilliseconds: Int { 20 }

    private let frame: WorkerContext
    private let loops: [any EventLoop]
    private let requests = Mutex<[Request]>([])

    init(frame: WorkerContext, loops: [any EventLoop]) {
        self.frame = frame
        self.loops = loops
    }

    /// Asks for something; may be called by any thread.
    func ask(_ request: Request) { requests.withLock { $0.append(request) } }

    /// Reads until told to stop; for a thread of its own.
    ///
    /// - Parameters:
    ///   - beat: called after every poll.
    ///   - restart: gets a partition whose offsets begin again, in order with the deliveries; called on the event loop of
    ///     the number, for each of them.
    ///   - deliver: gets what one poll brought for an event loop, by its number; called on that loop.
    /// - Throws: ``WorkerError``.
    func run(
        beat: () -> Void = {}, restart: @escaping @Sendable (Int, Int32) -> Void,
        deliver: @escaping @Sendable (Int, Deliveries) -> Void
    ) throws {
        let reader: KafkaReader
        do { reader = try KafkaReader(frame.kafka, log: WorkerLog.handler(frame.logger)) } catch {
            throw WorkerError(error)
        }
        defer { reader.close() }
        var state = State(reader, frame, loops: loops.count)
        while frame.control.isRunning {
            do { try reader.poll(into: state.batch, waitMilliseconds: Self.pollWaitMilliseconds) } catch {
                throw WorkerError(error)
            }
            try answer(&state)
            take(&state, restart, deliver)
            beat()
        }
    }

    /// What the thread works with.
    private struct State {
        let reader: KafkaReader
        let topic: String
        let batch: KafkaBatch
        var table: WatchTable<Name>
        var outgoing: [Deliveries]
        let contents = Reader()
        var lastLook = ContinuousClock.now
        let records: Counter
        let channels = Meter(.gatewayChannels)
        let partitions = Meter(.gatewayPartitions)

        init(_ reader: KafkaReader, _ frame: WorkerContext, loops: Int) {
            self.reader = reader
            topic = frame.names.full(Reader.topic.rawValue)
            records = Counter(.recordsIn, [(.stage, frame.name), (.topic, Reader.topic.rawValue)])
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
        giveUpIdle(&state)
    }

    private func read(_ starts: [Int32: KafkaPosition], _ state: inout State) throws {
        guard !starts.isEmpty else { return }
        let positions = starts.map { (TopicPartition(topic: state.topic, partition: $0), $1) }
        do { try state.reader.add(Dictionary(uniqueKeysWithValues: positions)) } catch { throw WorkerError(error) }
    }

    private func giveUpIdle(_ state: inout State) {
        let now = ContinuousClock.now
        guard state.lastLook + Self.idleTime <= now else { return }
        state.lastLook = now
        state.channels.set(state.table.channelCount)
        let idle = state.table.takeIdlePartitions().map { TopicPartition(topic: state.topic, partition: $0) }
        state.partitions.set(state.table.partitionCount)
        guard !idle.isEmpty else { return }
        do { try state.reader.remove(idle) } catch {
            frame.logger.warning("Partitions could not be given up.", metadata: .of([.error: "\(error)"]))
        }
    }

    /// Hands out what a poll brought.
    private func take(
        _ state: inout State, _ restart: @escaping @Sendable (Int, Int32) -> Void,
        _ deliver: @escaping @Sendable (Int, Deliveries) -> Void
    ) {
        state.records.increment(by: state.batch.count)
        for index in 0..<state.batch.count {
            guard let message = state.batch.message(at: index) else {
                note(state.batch[index])
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

    /// Has the event loops deliver what is collected for them.
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
        frame.logger.warning(
            "The offsets of a partition begin again; its topic is another one, and its channels start over.",
            metadata: .of([.topic: "\(state.topic)", .partition: "\(partition)"]))
        send(&state, deliver)
        for loop in loops.indices { loops[loop].execute { restart(loop, partition) } }
    }

    private func note(_ entry: KafkaBatch.Entry?) {
        guard case .failure(_, _, _, let error)? = entry else { return }
        frame.logger.warning("A partition cannot be read for now.", metadata: .of([.error: "\(error)"]))
    }
}
