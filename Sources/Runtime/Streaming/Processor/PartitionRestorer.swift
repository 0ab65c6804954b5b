import Kafka
import Logging
import Processing
import Support

/// Restore of partitions from the processor's outputs, the group's offsets and the replayed inputs.
///
/// State and watermarks are restored from the outputs, positions from the changelog and the group; replayed inputs are
/// read from their beginning. Between two steps the worker polls its group. Used on the worker's thread only.
final class PartitionRestorer {
    /// A partition that is being restored.
    final class Restored {
        let processor: PartitionProcessor
        /// Positions at which fetching starts after the restore, by input.
        var starts: [KafkaPosition]
        /// Offsets of the first unprocessed records according to changelog and group, by input; `nil` if unknown.
        var resume: [Int64?]
        /// The offset after the changelog's last record.
        var changelogEnd: Int64 = 0
        /// Number of acknowledged records that the changelog has lost.
        var changelogLost: Int64 = 0
        /// The newest timestamp among the changelog's last records.
        fileprivate var newest: Timestamp?
        /// Number of records read in previous phases.
        fileprivate var countBefore = 0
        /// Unprocessed records of replayed inputs, which wait until the other inputs reach their time.
        fileprivate var deferred: [KafkaMessage] = []

        fileprivate init(_ processor: PartitionProcessor) {
            self.processor = processor
            starts = processor.positions.map { _ in .beginning }
            resume = processor.positions.map { _ in nil }
        }

        deinit { for message in deferred { message.destroy() } }

        /// Transfers the deferred records to the caller, which destroys them.
        func removeDeferred() -> [KafkaMessage] {
            defer { deferred = [] }
            return deferred
        }
    }

    /// Topics being read; each phase needs the results of the previous ones.
    private enum Phase: Equatable {
        /// The last records of all outputs.
        case tails
        /// The changelog's last ``ProcessorLayout/memoryMilliseconds``.
        case changelog
        /// The replayed input with this index.
        case replay(Int)
        case complete
    }

    private let layout: ProcessorLayout
    private let settings: ProcessorWorkerSettings
    let inputs: [String]
    let outputs: [String]
    private let reader: KafkaReader
    private let commits: [TopicPartition: KafkaCommit]
    private let acceptsShortChangelog: Bool
    private let timeoutMilliseconds: Int
    var restored: [Int32: Restored] = [:]
    /// The outputs of ``Processor/finishRestore(into:)``.
    var finalOutputs: SequencedOutputs
    /// Output indices, by the reader's topic index.
    private var outputIndices: [Int: Int] = [:]
    private var phase = Phase.tails
    private var read: KafkaReadToEnd?
    private var scratch = OutputBatch()

    /// Creates a restorer of `partitions`.
    ///
    /// `makeProcessor`: creates the processor of a partition. `reader`: must read nothing else until the restore is
    /// complete or stopped. `commits`: the group's committed offsets. `acceptsShortChangelog`: whether to treat a
    /// changelog that ends before its committed end as truncated, instead of failing with a retriable error.
    /// `timeoutMilliseconds`: timeout of each request to a broker.
    init(
        _ context: WorkerContext, layout: ProcessorLayout, settings: ProcessorWorkerSettings, partitions: [Int32],
        makeProcessor: (Int32) -> any Processor, reader: KafkaReader, commits: [TopicPartition: KafkaCommit],
        acceptsShortChangelog: Bool, timeoutMilliseconds: Int
    ) {
        self.layout = layout
        self.settings = settings
        inputs = context.inputNames
        outputs = context.outputNames
        self.reader = reader
        self.commits = commits
        self.acceptsShortChangelog = acceptsShortChangelog
        self.timeoutMilliseconds = timeoutMilliseconds
        finalOutputs = SequencedOutputs(inputs: inputs.count)
        for partition in partitions {
            restored[partition] = Restored(
                PartitionProcessor(layout: layout, partition: partition, processor: makeProcessor(partition)))
        }
    }

    deinit { stop() }

    var isComplete: Bool { phase == .complete }

    /// Reads the next records.
    ///
    /// - Parameter waitMilliseconds: maximum wait for the first record.
    /// - Returns: whether the next step may have more to do without waiting.
    /// - Throws: ``KafkaError``; stop this restorer afterwards, and create another one after a retriable error.
    func step(waitMilliseconds: Int) throws -> Bool {
        guard let read else {
            try begin()
            return true
        }
        let hasMore = try read.step(waitMilliseconds: waitMilliseconds) { batch, index, message in
            try handle(message, batch, index)
        }
        guard read.isDone else { return hasMore }
        try finish(read)
        self.read = nil
        return true
    }

    /// Removes partitions that were revoked.
    func drop(_ partitions: [Int32]) {
        for partition in partitions { restored[partition] = nil }
        read?.drop(
            (inputs + outputs).flatMap { topic in partitions.map { TopicPartition(topic: topic, partition: $0) } })
    }

    /// Ends the restore and discards everything read.
    func stop() {
        read?.stop()
        read = nil
        restored = [:]
        finalOutputs.removeAll()
    }

    /// Records read of all topics, and records left in the current phase, by partition.
    var progress: [Int32: KafkaReadToEnd.Progress] {
        var result = restored.mapValues {
            KafkaReadToEnd.Progress(read: $0.countBefore, left: read == nil ? nil : 0)
        }
        for (partition, part) in read?.progress ?? [:] {
            guard let all = result[partition.partition] else { continue }
            let left = all.left.flatMap { before in part.left.map { before + $0 } }
            result[partition.partition] = .init(read: all.read + part.read, left: left)
        }
        return result
    }

    /// Starts the read of the current phase.
    private func begin() throws {
        switch phase {
        case .tails: read = try makeRead(tailStarts())
        case .changelog: read = try makeRead(changelogStarts())
        case .replay(let input):
            let partitions = partitionKeys(inputs[input])
            read = try makeRead(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .position(.beginning)) }))
        case .complete: return
        }
    }

    private func makeRead(_ starts: [TopicPartition: KafkaReader.Start]) throws -> KafkaReadToEnd {
        try KafkaReadToEnd(reader, starts, timeoutMilliseconds: timeoutMilliseconds)
    }

    private func handle(_ message: KafkaMessage, _ batch: KafkaBatch, _ index: Int) throws {
        switch phase {
        case .tails: handleTail(message)
        case .changelog:
            guard let processor = restored[message.partition]?.processor else { return }
            var record = message.record
            record.input = 0
            processor.restore(record, watermarkHeader: message.watermarkHeader)
        case .replay(let input): replay(message, of: input, batch, index)
        case .complete: return
        }
    }

    /// Evaluates a finished read and enters the next phase.
    private func finish(_ read: KafkaReadToEnd) throws {
        for (partition, progress) in read.progress { restored[partition.partition]?.countBefore += progress.read }
        switch phase {
        case .tails: phase = .changelog
        case .changelog:
            try checkEnds(read.ends)
            try checkStates()
            try findStarts()
            for partition in restored.keys.sorted() {
                restored[partition]?.processor.finishRestore(into: &finalOutputs)
            }
            replayNext(after: -1)
        case .replay(let input):
            finishReplay(of: input, ends: read.ends)
            replayNext(after: input)
        case .complete: return
        }
    }

    /// Checks that this release can read the states of all partitions.
    private func checkStates() throws {
        for (partition, entry) in restored.sorted(by: { $0.key < $1.key }) {
            guard let mismatch = entry.processor.versionMismatch else { continue }
            throw WorkerError(.stateVersion, "Partition \(partition) of \(outputs[0]) cannot be restored. \(mismatch)")
        }
    }

    private func replayNext(after last: Int) {
        if let next = inputs.indices.first(where: { $0 > last && layout.inputs[$0].resume == .replayed }) {
            phase = .replay(next)
            return
        }
        phase = .complete
        for partition in restored.values where !layout.counters.isEmpty {
            partition.processor.processor.counts = Array(repeating: 0, count: layout.counters.count)
        }
    }

    private func partitionKeys(_ topic: String) -> [TopicPartition] {
        restored.keys.sorted().map { TopicPartition(topic: topic, partition: $0) }
    }
}

// The outputs.
extension PartitionRestorer {
    /// Returns the starts of the outputs' tails.
    ///
    /// The changelog's tail has its newest time; the tails of side outputs have their watermarks and restored records.
    private func tailStarts() -> [TopicPartition: KafkaReader.Start] {
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for output in outputs.indices {
            outputIndices[reader.index(of: outputs[output])] = output
            for partition in partitionKeys(outputs[output]) { starts[partition] = start(of: output) }
        }
        return starts
    }

    /// Returns the start of an output's tail, which always has some records for the watermark or the newest time.
    private func start(of output: Int) -> KafkaReader.Start {
        switch output == 0 ? .nothing : layout.outputs[output].restored {
        case .nothing: .last(settings.sideOutputTailRecords)
        case .last(let count): .last(max(settings.sideOutputTailRecords, count))
        case .all: .position(.beginning)
        }
    }

    private func handleTail(_ message: KafkaMessage) {
        guard let partition = restored[message.partition], let output = outputIndices[message.input] else { return }
        guard output > 0 else {
            partition.newest = max(partition.newest ?? message.timestamp, message.timestamp)
            return
        }
        var record = message.record
        if let event = record.event { partition.processor.restoreWatermark(event, of: output) }
        if layout.outputs[output].restored == .nothing { return }
        record.input = output
        partition.processor.processor.restore(record)
    }

    /// Returns the changelogs' starts: ``ProcessorLayout/memoryMilliseconds`` before their newest time.
    private func changelogStarts() -> [TopicPartition: KafkaReader.Start] {
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for partition in partitionKeys(outputs[0]) {
            // Without records in the tail, the partition is empty, or the broker reported a wrong end.
            starts[partition] =
                restored[partition.partition]?.newest.map {
                    .time(Timestamp(milliseconds: $0.milliseconds - layout.memoryMilliseconds))
                } ?? .position(.beginning)
        }
        return starts
    }
}

// The inputs.
extension PartitionRestorer {
    /// Compares the ends of the changelogs with the committed ones.
    /// - Throws: a retriable ``KafkaError`` if one ends earlier and ``acceptsShortChangelog`` is `false`.
    private func checkEnds(_ ends: [TopicPartition: Int64]) throws {
        for (partition, entry) in restored.sorted(by: { $0.key < $1.key }) {
            let changelog = TopicPartition(topic: outputs[0], partition: partition)
            let end = ends[changelog] ?? 0
            entry.changelogEnd = end
            let known = inputs.compactMap { input in
                commits[TopicPartition(topic: input, partition: partition)].flatMap { ChangelogEnd.parse($0.metadata) }
            }.max()
            guard let known, known > end else { continue }
            guard acceptsShortChangelog else {
                throw KafkaError(
                    .timedOut, "\(changelog) ends at offset \(end), but ended at offset \(known) at the last commit.",
                    isRetriable: true)
            }
            entry.changelogLost = known - end
        }
    }

    /// Determines where each input continues: at the position in the changelog, rewound from it, or after the replay.
    private func findStarts() throws {
        for input in inputs.indices {
            var rewinds: [TopicPartition: Timestamp] = [:]
            for (partition, entry) in restored {
                let key = TopicPartition(topic: inputs[input], partition: partition)
                // After a truncation of the changelog, the group's offset would skip the lost records.
                if let commit = commits[key], entry.changelogLost == 0 {
                    entry.processor.restorePosition(commit.offset, of: input)
                }
                let position = entry.processor.positions[input]
                // Position 0 means a new topic or an unknown position; both start at the oldest record.
                guard position > 0 else { continue }
                entry.resume[input] = position
                entry.starts[input] = .offset(position)
                if case .rewound(let milliseconds) = layout.inputs[input].resume,
                    let newest = entry.processor.time.newest
                {
                    rewinds[key] = Timestamp(milliseconds: newest.milliseconds - milliseconds)
                }
            }
            let fallback = Timestamp(milliseconds: 0)
            let found = try reader.offsets(
                of: Array(rewinds.keys), atOrAfter: { rewinds[$0] ?? fallback },
                timeoutMilliseconds: timeoutMilliseconds)
            for (key, offset) in found {
                guard let entry = restored[key.partition], let position = entry.resume[input] else { continue }
                entry.starts[input] = .offset(min(offset, position))
            }
        }
    }

    /// Replays a record that was processed before, or defers an unprocessed one.
    private func replay(_ message: KafkaMessage, of input: Int, _ batch: KafkaBatch, _ index: Int) {
        guard let entry = restored[message.partition] else { return }
        if message.offset < entry.resume[input] ?? 0 {
            var record = message.record
            record.input = input
            entry.processor.replay(record, scratch: &scratch)
        } else if entry.deferred.count < settings.maximumDeferredRecords, let detached = batch.detach(at: index) {
            entry.deferred.append(detached.withInput(input))
            entry.starts[input] = .offset(detached.offset + 1)
        }
    }

    private func finishReplay(of input: Int, ends: [TopicPartition: Int64]) {
        for (key, end) in ends {
            guard let entry = restored[key.partition], entry.deferred.count < settings.maximumDeferredRecords else {
                continue
            }
            entry.starts[input] = .offset(max(end, entry.resume[input] ?? 0))
        }
    }
}
