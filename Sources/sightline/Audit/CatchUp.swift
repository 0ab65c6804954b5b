import BroadcastWorker
import EtaWorker
import Kafka
import LocationWorker
import Model
import Processing
import SpoofDetection

/// Waits until every worker has come to where its input ended when the audit looked, and says up to where all is
/// settled.
///
/// Worker by worker from the raw topic on: the end of a worker's input is looked up once, after those before it have
/// come to theirs, and waited for. What arrives later is not waited for, so that this ends under live traffic, too.
///
/// Belongs to one thread.
struct CatchUp {
    /// A worker that has not come to the end of its input.
    struct Laggard: Equatable {
        var worker: String
        var topic: String
        var partition: Int32
        var records: Int64
    }

    /// How far the workers have come.
    struct Result {
        /// By stage or sink, for each partition of its inputs: the offset up to which it has answered or stored
        /// everything.
        var settled: [String: [SinkPartition: Int64]] = [:]
        var laggards: [Laggard] = []

        /// Partitions that were waited for, once for each worker.
        var count: Int { settled.values.reduce(0) { $0 + $1.count } }
    }

    /// The stages that the audit waits for, in the order in which records go through them.
    static func layouts(_ settings: TrackingSettings) -> [ProcessorLayout] {
        let memory = settings.memorySeconds
        return [
            LocationProcessor.layout(settings: settings), EtaProcessor.layout(memorySeconds: memory),
            BroadcastProcessor.layout(memorySeconds: memory),
        ]
    }

    private let access: PipelineAccess
    private let stop: StopSignal
    /// Each stage with a reader of its group's offsets.
    private let stages: [(layout: ProcessorLayout, reader: KafkaReader)]
    private let ends: TopicEnds
    private let sinks: SinkProgress

    /// Connects to the broker; `partitions` and `sinks` are what is waited for, and `stop` gives up.
    init(_ access: PipelineAccess, partitions: [Int32], sinks: SinkProgress, stop: StopSignal) throws {
        self.access = access
        self.sinks = sinks
        self.stop = stop
        stages = try Self.layouts(access.settings.tracking).map {
            ($0, try KafkaReader(access.kafka, group: access.group(of: $0.name), log: PipelineAccess.log))
        }
        ends = try TopicEnds(access, partitions: partitions)
    }

    /// Waits for at most so long in all; looks at least once.
    func wait(seconds: Double, show: (String) -> Void) throws -> Result {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var result = Result()
        var ends: [SinkPartition: Int64] = [:]
        for stage in stages {
            let inputs = try self.ends(of: stage.layout.inputs.compactMap { PipelineTopic(rawValue: $0.topic) })
            ends.merge(inputs) { $1 }
            let worker = "\(stage.layout.name)-worker"
            let done = try wait(for: worker, inputs, until: deadline, show) { partitions in
                try positions(of: partitions, stage.reader)
            }
            result.note(done, stage.layout.name, worker: worker, inputs)
        }
        ends.merge(try self.ends(of: [.warnings, .riderUpdates])) { $1 }
        for (sink, topics) in sinks.topics {
            let inputs = ends.filter { topics.contains($0.key.topic) }
            let worker = "\(sink)-worker"
            let done = try wait(for: worker, inputs, until: deadline, show) { try sinks.positions(of: $0, in: sink) }
            result.note(done, sink, worker: worker, inputs)
        }
        sinks.disconnect()
        return result
    }

    /// The end of each partition of `topics`, as it is now.
    func ends(of topics: [PipelineTopic]) throws -> [SinkPartition: Int64] {
        try ends.find(topics, check: stop.check)
    }

    /// Asks where a worker is until it has come to `ends` or the time is up.
    /// - Returns: where it is.
    private func wait(
        for worker: String, _ ends: [SinkPartition: Int64], until deadline: ContinuousClock.Instant,
        _ show: (String) -> Void,
        _ ask: ([SinkPartition]) throws -> [SinkPartition: Int64]
    ) throws -> [SinkPartition: Int64] {
        var done: [SinkPartition: Int64] = [:]
        while true {
            let behind = ends.filter { done[$0.key] ?? -1 < $0.value }
            if !behind.isEmpty { done.merge(try ask(Array(behind.keys))) { $1 } }
            let left = behind.reduce(Int64(0)) { $0 + max(0, $1.value - (done[$1.key] ?? 0)) }
            if left == 0 || ContinuousClock.now >= deadline { return done }
            show("waiting for \(worker): \(left) records")
            stop.wait(milliseconds: 250)
            try stop.check()
        }
    }

    /// The offset up to which a group is done with each partition; what retention has deleted need not be done.
    private func positions(of partitions: [SinkPartition], _ reader: KafkaReader) throws -> [SinkPartition: Int64] {
        func name(_ partition: SinkPartition) -> TopicPartition {
            TopicPartition(topic: access.settings.kafka.topicPrefix + partition.topic, partition: partition.partition)
        }
        let names = partitions.map(name)
        let committed = try reader.committed(names)
        let marks = try reader.watermarks(of: names)
        return Dictionary(
            uniqueKeysWithValues: zip(partitions, names).map { ($0, max(committed[$1] ?? 0, marks[$1]?.low ?? 0)) })
    }
}

extension CatchUp.Result {
    /// Notes where a worker is; `ends` is where it should be.
    fileprivate mutating func note(
        _ done: [SinkPartition: Int64], _ name: String, worker: String, _ ends: [SinkPartition: Int64]
    ) {
        for (partition, end) in ends.sorted(by: { ($0.key.topic, $0.key.partition) < ($1.key.topic, $1.key.partition) })
        {
            let position = min(done[partition] ?? 0, end)
            settled[name, default: [:]][partition] = position
            guard position < end else { continue }
            laggards.append(
                CatchUp.Laggard(
                    worker: worker, topic: partition.topic, partition: partition.partition, records: end - position))
        }
    }
}
