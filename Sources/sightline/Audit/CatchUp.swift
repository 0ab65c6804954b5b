import Processors
import Domain
import Kafka
import Processing

/// The wait until every worker has processed its input.
///
/// Processors are checked in the order of the data flow. The end of a processor's input is determined once, after the
/// processors before it have caught up. Later records are not waited for, so the wait ends under live traffic.
///
/// Use on one thread only.
struct CatchUp {
    /// A worker that did not process a partition of its input in time, with the number of remaining records.
    struct Laggard: Equatable {
        var worker: String
        var topic: String
        var partition: Int32
        var records: Int64
    }

    struct Result {
        /// Offsets up to which each processor or sink has processed its inputs.
        var settled: [String: TopicOffsets] = [:]
        var laggards: [Laggard] = []

        /// Number of input partitions, summed over all workers.
        var count: Int { settled.values.reduce(0) { $0 + $1.offsets.count } }
    }

    /// Returns the layouts of the processors, in the order of the data flow.
    static func layouts(_ settings: TrackingSettings) -> [ProcessorLayout] {
        let memory = settings.memorySeconds
        return [
            LocationProcessor.layout(settings: settings), EtaProcessor.layout(memorySeconds: memory),
            BroadcastProcessor.layout(memorySeconds: memory),
        ]
    }

    private let access: PipelineAccess
    private let stop: StopSignal
    /// The processors, each with a reader for the committed offsets of its group.
    private let processors: [(layout: ProcessorLayout, reader: KafkaReader)]
    let ends: TopicEnds
    private let sinks: [any Sink]

    /// Connects to the broker; `stop` cancels the wait.
    init(_ access: PipelineAccess, partitions: [Int32], sinks: [any Sink], stop: StopSignal) throws {
        self.access = access
        self.sinks = sinks
        self.stop = stop
        processors = try Self.layouts(access.settings.tracking).map {
            ($0, try KafkaReader(access.kafka, group: access.group(of: $0.name), log: PipelineAccess.log))
        }
        ends = try TopicEnds(access, partitions: partitions)
    }

    /// Waits up to `seconds` in total; checks each worker at least once.
    func wait(seconds: Double, show: (String) -> Void) throws -> Result {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var result = Result()
        var ends: [SinkPartition: Int64] = [:]
        for processor in processors {
            let topics = processor.layout.inputs.compactMap { PipelineTopic(rawValue: $0.topic) }
            let inputs = try self.ends.find(topics, check: stop.check).offsets
            ends.merge(inputs) { $1 }
            let name = processor.layout.name
            let done = try wait(for: "\(name)-worker", inputs, until: deadline, show) { partitions in
                try positions(of: partitions, processor.reader)
            }
            result.add(done, name, inputs)
        }
        ends.merge(try self.ends.find([.warnings, .riderUpdates], check: stop.check).offsets) { $1 }
        for sink in sinks {
            let (name, topics) = (type(of: sink).name, type(of: sink).topics)
            let inputs = ends.filter { topics.contains($0.key.topic) }
            let done = try wait(for: "\(name)-worker", inputs, until: deadline, show, sink.nextOffsets)
            result.add(done, name, inputs)
            sink.disconnect()
        }
        return result
    }

    /// Polls a worker's progress until the worker has reached `ends` or `deadline` has passed.
    /// - Returns: the last progress.
    private func wait(
        for worker: String, _ ends: [SinkPartition: Int64], until deadline: ContinuousClock.Instant,
        _ show: (String) -> Void,
        _ readProgress: ([SinkPartition]) throws -> [SinkPartition: Int64]
    ) throws -> [SinkPartition: Int64] {
        var done: [SinkPartition: Int64] = [:]
        while true {
            let behind = ends.filter { done[$0.key] ?? -1 < $0.value }
            if !behind.isEmpty { done.merge(try readProgress(Array(behind.keys))) { $1 } }
            let remaining = behind.reduce(Int64(0)) { $0 + max(0, $1.value - (done[$1.key] ?? 0)) }
            if remaining == 0 || ContinuousClock.now >= deadline { return done }
            show("waiting for \(worker): \(remaining) records")
            stop.wait(milliseconds: 250)
            try stop.check()
        }
    }

    /// Returns the committed offset of each partition, or the partition's start if that is later.
    private func positions(of partitions: [SinkPartition], _ reader: KafkaReader) throws -> [SinkPartition: Int64] {
        func name(_ partition: SinkPartition) -> TopicPartition {
            TopicPartition(topic: access.settings.kafka.topicPrefix + partition.topic, partition: partition.partition)
        }
        let names = partitions.map(name)
        let committed = try reader.committed(names)
        let ranges = try reader.offsetRanges(of: names)
        return Dictionary(
            uniqueKeysWithValues: zip(partitions, names).map { ($0, max(committed[$1] ?? 0, ranges[$1]?.low ?? 0)) })
    }
}

extension CatchUp.Result {
    /// Adds the progress `done` of a processor or sink, and a laggard for each partition before its end.
    fileprivate mutating func add(
        _ done: [SinkPartition: Int64], _ name: String, _ ends: [SinkPartition: Int64]
    ) {
        for (partition, end) in ends.sorted(by: { ($0.key.topic, $0.key.partition) < ($1.key.topic, $1.key.partition) })
        {
            let position = min(done[partition] ?? 0, end)
            settled[name, default: TopicOffsets()].offsets[partition] = position
            guard position < end else { continue }
            laggards.append(
                CatchUp.Laggard(
                    worker: "\(name)-worker", topic: partition.topic, partition: partition.partition,
                    records: end - position))
        }
    }
}
