import Kafka
import Logging
import Processing
import Support

/// Reads back what a process needs to carry partitions on: state and clock from the stage's own output, positions from
/// there and from the group, and the replayed inputs from their beginning.
///
/// All partitions at once, through one reader, and in steps: between them the worker polls its group. Belongs to the
/// worker's thread.
final class PartitionRestorer {
    /// What a restored partition goes on with.
    struct Restored {
        var task: PartitionProcessor
        /// Where each input is to be read from.
        var starts: [KafkaPosition]
        /// Records of replayed inputs that were not answered yet; the receiver destroys them.
        var held: [KafkaMessage] = []
        /// Per input, the position of the changelog or of the group; `nil` when neither has one.
        var resume: [Int64?]
        /// The offset after the changelog's last record.
        var changelogEnd: Int64 = 0
        /// Records of the changelog that were acknowledged and are not there any more.
        var changelogLost: Int64 = 0
    }

    /// What is being read; each needs what the ones before have told.
    private enum Phase: Equatable {
        /// The ends of all outputs.
        case tails
        /// The changelog: its last memory.
        case changelog
        /// The replayed input of this number.
        case replay(Int)
        case whole
    }

    let plan: ProcessorPlan
    let inputs: [String]
    let outputs: [String]
    private let reader: KafkaReader
    private let commits: [TopicPartition: KafkaCommit]
    private let believesShortChangelog: Bool
    private let timeoutMilliseconds: Int
    var restored: [Int32: Restored] = [:]
    /// The outputs of ``Processor/finishRestore(into:)``.
    var quiet: SequencedOutputs
    /// Of each partition the changelog's newest time, as its tail has told.
    private var newest: [Int32: Timestamp] = [:]
    private var numbers: [Int: Int] = [:]
    private var phase = Phase.tails
    private var read: KafkaReadToEnd?
    private var scratch = OutputBatch()
    /// Records read by the reads that are done.
    private var countBefore: [Int32: Int] = [:]

    /// - Parameters:
    ///   - plan: the stage and how it runs.
    ///   - partitions: partition numbers.
    ///   - inputs: full names.
    ///   - outputs: full names.
    ///   - reader: reads nothing else until this is whole or stopped.
    ///   - commits: the group's offsets, where it has any.
    ///   - believesShortChangelog: whether a changelog that ends before the end that was committed has lost records;
    ///     otherwise it is a transient failure.
    ///   - timeoutMilliseconds: how long each question to a broker may take.
    init(
        _ plan: ProcessorPlan, partitions: [Int32], inputs: [String], outputs: [String], reader: KafkaReader,
        commits: [TopicPartition: KafkaCommit], believesShortChangelog: Bool,
        timeoutMilliseconds: Int
    ) {
        self.plan = plan
        self.inputs = inputs
        self.outputs = outputs
        self.reader = reader
        self.commits = commits
        self.believesShortChangelog = believesShortChangelog
        self.timeoutMilliseconds = timeoutMilliseconds
        quiet = SequencedOutputs(inputs: inputs.count)
        for partition in partitions {
            let task = PartitionProcessor(layout: plan.layout, partition: partition, stage: plan.makeStage(partition))
            restored[partition] = Restored(
                task: task, starts: inputs.map { _ in .beginning }, resume: inputs.map { _ in nil })
        }
    }

    deinit { stop() }

    /// Whether all of it is restored.
    var isWhole: Bool { phase == .whole }

    /// Reads on.
    ///
    /// `waitMilliseconds`: how long to wait for the first record.
    /// - Returns: whether anything was read or looked up, and the next step may have more without waiting.
    /// - Throws: ``KafkaError``; after that it has to be stopped, and a retriable one calls for another restorer.
    func step(waitMilliseconds: Int) throws -> Bool {
        guard let read else {
            try begin()
            return true
        }
        let hasMore = try read.step(waitMilliseconds: waitMilliseconds) { batch, index, message in
            try take(message, batch, index)
        }
        guard read.isDone else { return hasMore }
        try finish(read)
        self.read = nil
        return true
    }

    /// Forgets partitions that another process holds now.
    func drop(_ partitions: [Int32]) {
        for partition in partitions {
            for message in restored.removeValue(forKey: partition)?.held ?? [] { message.destroy() }
            countBefore[partition] = nil
        }
        read?.drop(
            (inputs + outputs).flatMap { topic in partitions.map { TopicPartition(topic: topic, partition: $0) } })
    }

    /// Gives everything up.
    func stop() {
        read?.stop()
        read = nil
        for partition in restored.values { for message in partition.held { message.destroy() } }
        restored = [:]
        quiet.removeAll()
    }

    /// How far each partition is: what was read of all its topics, and what is left of the read under way.
    var progress: [Int32: KafkaReadToEnd.Progress] {
        var found: [Int32: KafkaReadToEnd.Progress] = [:]
        for partition in restored.keys {
            found[partition] = .init(read: countBefore[partition] ?? 0, left: read == nil ? nil : 0)
        }
        for (partition, part) in read?.progress ?? [:] {
            guard let all = found[partition.partition] else { continue }
            let left = all.left.flatMap { before in part.left.map { before + $0 } }
            found[partition.partition] = .init(read: all.read + part.read, left: left)
        }
        return found
    }

    /// Begins the read of the current phase.
    private func begin() throws {
        switch phase {
        case .tails: read = try makeRead(tailStarts())
        case .changelog: read = try makeRead(changelogStarts())
        case .replay(let input):
            let partitions = partitionKeys(inputs[input])
            read = try makeRead(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .position(.beginning)) }))
        case .whole: return
        }
    }

    private func makeRead(_ starts: [TopicPartition: KafkaReader.Start]) throws -> KafkaReadToEnd {
        try KafkaReadToEnd(reader, starts, timeoutMilliseconds: timeoutMilliseconds)
    }

    private func take(_ message: KafkaMessage, _ batch: KafkaBatch, _ index: Int) throws {
        switch phase {
        case .tails: takeTail(message)
        case .changelog:
            guard let task = restored[message.partition]?.task else { return }
            var record = message.record
            record.input = 0
            task.restore(record, clockHeader: message.clockHeader)
        case .replay(let input): replay(message, of: input, batch, index)
        case .whole: return
        }
    }

    /// Takes in what a read that is done has told, and goes on to the next phase.
    private func finish(_ read: KafkaReadToEnd) throws {
        for (partition, progress) in read.progress { countBefore[partition.partition, default: 0] += progress.read }
        switch phase {
        case .tails: phase = .changelog
        case .changelog:
            try findEnds(read.ends)
            try checkStates()
            try findStarts()
            for partition in restored.keys.sorted() { restored[partition]?.task.finishRestore(into: &quiet) }
            replayNext(after: -1)
        case .replay(let input):
            finishReplay(of: input, ends: read.ends)
            replayNext(after: input)
        case .whole: return
        }
    }

    /// Refuses partitions whose states this release cannot read.
    private func checkStates() throws {
        for partition in restored.keys.sorted() {
            guard let refusal = restored[partition]?.task.refusal else { continue }
            throw WorkerError(
                .stateVersion, "Partition \(partition) of \(outputs[0]) cannot be carried on. \(refusal)")
        }
    }

    private func replayNext(after last: Int) {
        let next = inputs.indices.first { input in
            if case .replayed = plan.layout.inputs[input].resume { input > last } else { false }
        }
        if let next {
            phase = .replay(next)
            return
        }
        phase = .whole
        for partition in restored.values where !plan.layout.counters.isEmpty {
            partition.task.stage.counts = Array(repeating: 0, count: plan.layout.counters.count)
        }
    }

    private func partitionKeys(_ topic: String) -> [TopicPartition] {
        restored.keys.sorted().map { TopicPartition(topic: topic, partition: $0) }
    }
}

// The outputs.
extension PartitionRestorer {
    /// The tails of all outputs, in one read: of the changelog the newest time of each partition, of the others the
    /// clock and the records that the stage wants to see.
    private func tailStarts() -> [TopicPartition: KafkaReader.Start] {
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for output in outputs.indices {
            numbers[reader.index(of: outputs[output])] = output
            for partition in partitionKeys(outputs[output]) { starts[partition] = start(of: output) }
        }
        return starts
    }

    /// Where the tail of an output begins: the clock, or the changelog's newest time, wants some records in any case.
    private func start(of output: Int) -> KafkaReader.Start {
        switch output == 0 ? .nothing : plan.layout.outputs[output].restored {
        case .nothing: .last(plan.settings.sideOutputTailRecords)
        case .last(let count): .last(max(plan.settings.sideOutputTailRecords, count))
        case .all: .position(.beginning)
        }
    }

    private func takeTail(_ message: KafkaMessage) {
        guard let task = restored[message.partition]?.task, let output = numbers[message.input] else { return }
        guard output > 0 else {
            newest[message.partition] = max(newest[message.partition] ?? message.timestamp, message.timestamp)
            return
        }
        var record = message.record
        if let clock = record.clock { task.restoreClock(clock, of: output) }
        if case .nothing = plan.layout.outputs[output].restored { return }
        record.input = output
        task.stage.restore(record)
    }

    /// The changelog: its last memory before the newest time that its tail has told.
    private func changelogStarts() -> [TopicPartition: KafkaReader.Start] {
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for partition in partitionKeys(outputs[0]) {
            // A tail without a record is an empty partition or one whose end the broker has counted wrongly.
            starts[partition] =
                newest[partition.partition].map {
                    .time(Timestamp(milliseconds: $0.milliseconds - plan.layout.memoryMilliseconds))
                } ?? .position(.beginning)
        }
        return starts
    }
}

// The inputs.
extension PartitionRestorer {
    /// Compares the ends of the changelog with those that were committed.
    /// - Throws: a retriable ``KafkaError`` when one is missing records and that is not to be believed yet.
    private func findEnds(_ ends: [TopicPartition: Int64]) throws {
        for partition in restored.keys.sorted() {
            let changelog = TopicPartition(topic: outputs[0], partition: partition)
            let end = ends[changelog] ?? 0
            let known = inputs.compactMap { input in
                commits[TopicPartition(topic: input, partition: partition)].flatMap { ChangelogEnd.read($0.metadata) }
            }.max()
            restored[partition]?.changelogEnd = end
            guard let known, known > end else { continue }
            guard believesShortChangelog else {
                throw KafkaError(
                    .timedOut,
                    "\(changelog) ends at offset \(end), and had records up to offset \(known) at the last commit.",
                    isRetriable: true)
            }
            restored[partition]?.changelogLost = known - end
        }
    }

    /// Where each input continues: after the changelog, rewound from there, or after what will be replayed.
    private func findStarts() throws {
        for input in inputs.indices {
            var rewinds: [TopicPartition: Timestamp] = [:]
            for partition in restored.keys {
                let key = TopicPartition(topic: inputs[input], partition: partition)
                guard let entry = restored[partition] else { continue }
                // Where the changelog has lost its end, the group's offset would skip what is lost.
                if let commit = commits[key], entry.changelogLost == 0 {
                    entry.task.restorePosition(commit.offset, of: input)
                }
                let position = entry.task.positions[input]
                // Position 0 is the first record of a new topic, and "unknown" otherwise: the oldest either way.
                restored[partition]?.resume[input] = position > 0 ? position : nil
                restored[partition]?.starts[input] = position > 0 ? .offset(position) : .beginning
                if case .rewound(let milliseconds) = plan.layout.inputs[input].resume, position > 0,
                    let newest = entry.task.time.newest
                {
                    rewinds[key] = Timestamp(milliseconds: newest.milliseconds - milliseconds)
                }
            }
            let fallback = Timestamp(milliseconds: 0)
            let found = try reader.offsets(
                of: Array(rewinds.keys), atOrAfter: { rewinds[$0] ?? fallback },
                timeoutMilliseconds: timeoutMilliseconds)
            for (key, offset) in found {
                guard let position = restored[key.partition]?.resume[input] else { continue }
                restored[key.partition]?.starts[input] = .offset(min(offset, position))
            }
        }
    }

    /// A record of a replayed input: what was answered before is shown to the stage again, the rest is held for its
    /// time.
    private func replay(_ message: KafkaMessage, of input: Int, _ batch: KafkaBatch, _ index: Int) {
        guard let entry = restored[message.partition] else { return }
        if message.offset < entry.resume[input] ?? 0 {
            var record = message.record
            record.input = input
            entry.task.recall(record, scratch: &scratch)
        } else if entry.held.count < plan.settings.maximumHeldRecords, let kept = batch.take(at: index) {
            restored[message.partition]?.held.append(kept.renumbered(input))
            restored[message.partition]?.starts[input] = .offset(kept.offset + 1)
        }
    }

    private func finishReplay(of input: Int, ends: [TopicPartition: Int64]) {
        for (key, end) in ends {
            guard let entry = restored[key.partition], entry.held.count < plan.settings.maximumHeldRecords
            else { continue }
            restored[key.partition]?.starts[input] = .offset(max(end, entry.resume[input] ?? 0))
        }
    }
}
