import Kafka
import Support

/// A small use of the Kafka client whose observations must be the same on every cluster.
///
/// The fault simulation proves something only as far as its log and client behave as librdkafka does.
package struct KafkaScenario: Sendable {
    package let name: String
    private let body: @Sendable (KafkaScenarioRun) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (KafkaScenarioRun) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Runs the scenario; blocks the thread.
    /// - Returns: what was observed, line by line.
    package func observe(on cluster: any KafkaScenarioCluster) -> [String] {
        let run = KafkaScenarioRun(cluster)
        do {
            try body(run)
        } catch {
            run.lines.append("error: \(error)")
        }
        return run.lines
    }

    package static let all = producing + reading + groups
}

/// State of a scenario that is running.
final class KafkaScenarioRun {
    let cluster: any KafkaScenarioCluster
    var lines: [String] = []

    init(_ cluster: any KafkaScenarioCluster) { self.cluster = cluster }

    func observe(_ line: String) { lines.append(line) }

    /// Writes records with the values 0, 1, … to each partition, and waits for the acknowledgements.
    func fill(_ topic: String, partitions: Int32 = 1, count: Int, from first: Int = 0) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let handle = try producer.topic(topic)
        for index in first..<first + count {
            for partition in 0..<partitions {
                ByteSlice.withBytes(of: "\(index)") { value in
                    _ = producer.produce(
                        .init(key: value, value: value, timestamp: Timestamp(milliseconds: Int64(1000 + index))),
                        to: handle, partition: partition, token: index)
                }
            }
        }
        guard try producer.flush(deadline: .now + .seconds(60), { _, _ in }) else {
            throw KafkaError(.timedOut, "The records were not acknowledged.")
        }
        producer.close()
    }

    func consumer(
        _ assignor: KafkaAssignor, topic: String = "topic", group: String = "group", pollInterval: Int = 60_000
    ) throws -> ScenarioConsumer {
        var settings = KafkaGroupSettings(group: group, assignor: assignor)
        settings.sessionTimeoutMilliseconds = 6000
        settings.maximumPollIntervalMilliseconds = pollInterval
        return ScenarioConsumer(try KafkaConsumer(cluster.configuration, group: settings, topics: [topic]) { _ in })
    }
}

/// A consumer that answers rebalances, and what it has received.
final class ScenarioConsumer {
    let consumer: KafkaConsumer
    private let batch: KafkaBatch
    /// Start positions of partitions; the beginning if absent.
    var positions: [TopicPartition: KafkaPosition] = [:]
    /// Offsets of the received records, by partition.
    private(set) var received: [Int32: [Int64]] = [:]
    /// Reported ends, by partition.
    private(set) var ends: [Int32: Int64] = [:]
    private(set) var failures: [String] = []
    private(set) var rebalances: [String] = []
    /// Assigned partitions.
    private(set) var assigned: Set<Int32> = []

    init(_ consumer: KafkaConsumer) {
        self.consumer = consumer
        batch = consumer.makeBatch(capacity: 100)
    }

    /// Polls once and answers rebalances.
    func poll(milliseconds: Int = 50) throws {
        try consumer.poll(into: batch, waitMilliseconds: milliseconds)
        for index in 0..<batch.count {
            switch batch[index] {
            case .message(let message)?: received[message.partition, default: []].append(message.offset)
            case .end(_, let partition, let offset)?: ends[partition] = offset
            case .failure(_, let partition, let offset, let error)?:
                failures.append("\(error.code) partition \(partition) offset \(offset.map { "\($0)" } ?? "none")")
            case nil: break
            }
        }
        batch.removeAll()
        for change in consumer.drainRebalances() { try answer(change) }
    }

    private func answer(_ change: KafkaRebalance) throws {
        let numbers = change.partitions.map(\.partition).sorted()
        if !numbers.isEmpty { rebalances.append("\(change.kind) \(numbers)") }
        if change.kind == .assigned {
            assigned.formUnion(numbers)
            try consumer.accept(change.partitions, positions: positions)
        } else {
            assigned.subtract(numbers)
            try consumer.release(change.partitions)
        }
    }

    func clear() { (received, ends, failures, rebalances) = ([:], [:], [], []) }

    /// Closes the consumer: in order, or as in a crash.
    func close(abruptly: Bool = false) {
        batch.removeAll()
        if abruptly { consumer.abandon() } else { consumer.close() }
    }
}

extension KafkaScenarioRun {
    /// Polls all consumers in turn until `isDone`, up to 60 s.
    func poll(_ consumers: [ScenarioConsumer], _ what: String, until isDone: () -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while !isDone() {
            guard ContinuousClock.now < end else { throw KafkaError(.timedOut, "No \(what) within 60 s.") }
            for consumer in consumers { try consumer.poll() }
        }
    }

    /// Polls all consumers for a time.
    func poll(_ consumers: [ScenarioConsumer], seconds: Int) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end { for consumer in consumers { try consumer.poll() } }
    }
}
