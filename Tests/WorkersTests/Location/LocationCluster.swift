import Domain
import Processors
import Processing
import TestSupport

/// In-memory location workers and their partitions.
///
/// A random source decides when workers hand over partitions, stop after writing part of a batch, or pause. A paused
/// worker writes the rest of its batch later, when other workers may own its partitions.
struct LocationCluster {
    struct Schedule {
        var workers: Int
        var largestBatch: Int
        /// Probabilities that a step ends with a stop, a pause or a move of a partition.
        var stop: Double
        var pause = 0.0
        var move: Double
    }

    /// One output record of a batch.
    private struct Outgoing {
        var partition: Int
        var topic: Int
        var record: RecordedTopic.Record
    }

    private final class AssignedPartition {
        var runner: InMemoryRunner
        var next: Int

        init(_ runner: consuming InMemoryRunner, next: Int) {
            self.runner = runner
            self.next = next
        }
    }

    static let outputCount = 4
    private let raw: [RecordedTopic]
    private let settings: TrackingSettings
    private let schedule: Schedule
    private var random: SeededGenerator
    /// The written records, by partition and output.
    private(set) var written: [[RecordedTopic]]
    /// The worker that owns each partition.
    private var owners: [Int]
    private var assigned: [AssignedPartition?]
    private var paused: [[Outgoing]] = []
    private(set) var stops = 0

    init(_ raw: [RecordedTopic], _ settings: TrackingSettings, _ schedule: Schedule, seed: UInt64) {
        self.raw = raw
        self.settings = settings
        self.schedule = schedule
        random = SeededGenerator(seed: seed)
        written = raw.map { _ in Array(repeating: RecordedTopic(), count: Self.outputCount) }
        owners = raw.indices.map { $0 % schedule.workers }
        assigned = raw.map { _ in nil }
    }

    /// Runs until every partition has been read to its end and all paused workers have resumed.
    mutating func run() {
        while raw.indices.contains(where: { (assigned[$0]?.next ?? 0) < raw[$0].records.count }) || !paused.isEmpty {
            step()
        }
    }

    /// Returns a partition's topics without duplicates, which readers skip.
    func read(partition: Int) -> [RecordedTopic] {
        written[partition].map { topic in
            var watermark = Watermark()
            var read = topic
            read.records = topic.records.filter { $0.event.map { watermark.advance(to: $0) } ?? true }
            return read
        }
    }

    private mutating func step() {
        let worker = Int.random(in: 0..<schedule.workers, using: &random)
        let batch = process(by: worker)
        let draw = Double.random(in: 0..<1, using: &random)
        if draw < schedule.stop + schedule.pause {
            stops += 1
            let rest = writePart(of: batch)
            if draw >= schedule.stop { paused.append(rest) }
            for partition in raw.indices where owners[partition] == worker { move(partition) }
        } else {
            write(batch)
            if draw > 1 - schedule.move, let partition = raw.indices.randomElement(using: &random) { move(partition) }
        }
        if let resumed = paused.indices.randomElement(using: &random), Bool.random(using: &random) {
            write(paused.remove(at: resumed))
        }
    }

    private mutating func move(_ partition: Int) {
        assigned[partition] = nil
        owners[partition] = Int.random(in: 0..<schedule.workers, using: &random)
    }

    /// Processes some records of each partition that the worker owns; side outputs precede the changelog.
    private mutating func process(by worker: Int) -> [Outgoing] {
        var batch: [Outgoing] = []
        for partition in raw.indices where owners[partition] == worker {
            let current = assigned[partition] ?? restored(partition, &batch)
            assigned[partition] = current
            let count = Int.random(in: 0...schedule.largestBatch, using: &random)
            while current.next < raw[partition].records.count, batch.count < count {
                raw[partition].with(current.next, input: 0, partition: Int32(partition)) { record, _ in
                    current.runner.process(record)
                }
                current.next += 1
                drain(current, partition, into: &batch)
            }
        }
        return batch.filter { $0.topic == 1 || $0.topic == 2 } + batch.filter { $0.topic == 0 || $0.topic == 3 }
    }

    private func drain(_ assigned: AssignedPartition, _ partition: Int, into batch: inout [Outgoing]) {
        assigned.runner.drainOutputs { output in
            var topic = RecordedTopic()
            topic.append(output)
            batch += topic.records.map { Outgoing(partition: partition, topic: output.topic, record: $0) }
        }
    }

    /// Restores a partition from its output topics.
    private func restored(_ partition: Int, _ batch: inout [Outgoing]) -> AssignedPartition {
        let runner = LocationPartition(settings: settings)
            .restored(from: written[partition], partition: Int32(partition))
        let assigned = AssignedPartition(runner, next: 0)
        assigned.next = Int(assigned.runner.positions[0])
        drain(assigned, partition, into: &batch)
        return assigned
    }

    private mutating func write(_ batch: [Outgoing]) {
        for output in batch { written[output.partition][output.topic].records.append(output.record) }
    }

    /// Writes some side outputs of a batch, or all of them and some changelog and track records.
    /// - Returns: the rest of the batch.
    private mutating func writePart(of batch: [Outgoing]) -> [Outgoing] {
        let sideOutputs = batch.prefix { $0.topic == 1 || $0.topic == 2 }
        let writesAll = Bool.random(using: &random)
        var remaining: [[Int]: Int] = [:]
        let counts = Dictionary(grouping: batch) { [$0.partition, $0.topic] }.mapValues(\.count)
        var rest: [Outgoing] = []
        for (index, output) in batch.enumerated() {
            let target = [output.partition, output.topic]
            if remaining[target] == nil {
                let isSideOutput = index < sideOutputs.count
                let all = counts[target] ?? 0
                let some = Int.random(in: 0...all, using: &random)
                remaining[target] = isSideOutput ? (writesAll ? all : some) : (writesAll ? some : 0)
            }
            if let count = remaining[target], count > 0 {
                remaining[target] = count - 1
                write([output])
            } else {
                rest.append(output)
            }
        }
        return rest
    }
}
