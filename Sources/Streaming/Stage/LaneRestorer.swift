import Kafka
import Lanes
import Logging
import Tracking

/// Reads back what a process needs to carry lanes on: state and clock from the stage's own output, positions from
/// there and from the group, and the replayed inputs from their beginning.
///
/// All lanes at once, through one reader, and in steps: between them the worker polls its group. Belongs to the
/// worker's thread.
final class LaneRestorer {
    /// What a restored lane goes on with.
    struct Restored {
        var driver: LaneDriver
        /// Where each input is to be read from.
        var starts: [KafkaPosition]
        /// Records of replayed inputs that were not answered yet; whoever gets them destroys them.
        var held: [KafkaMessage] = []
        /// Per input, the position of the journal or of the group; `nil` when neither has one.
        var resume: [Int64?]
    }

    /// What is being read; each needs what the ones before have told.
    private enum Phase: Equatable {
        /// The ends of all outputs.
        case tails
        /// The journal: its last memory.
        case journal
        /// The replayed input of this number.
        case replay(Int)
        case whole
    }

    let plan: StageWorker.Plan
    let inputs: [String]
    let outputs: [String]
    private let reader: KafkaReader
    private let committed: [KafkaLane: Int64]
    private let timeoutMilliseconds: Int
    var restored: [Int32: Restored] = [:]
    /// The outputs of ``Stage/finishRestore(into:)``.
    var quiet: StampedOutputs
    /// Of each lane the journal's newest time, as its tail has told.
    private var newest: [Int32: Timestamp] = [:]
    private var numbers: [Int: Int] = [:]
    private var phase = Phase.tails
    private var read: KafkaReadToEnd?
    private var scratch = OutputBatch()
    /// Records read by the reads that are done.
    private var countBefore: [Int32: Int] = [:]

    /// - Parameters:
    ///   - plan: the stage and how it runs.
    ///   - lanes: lane numbers.
    ///   - inputs: full names.
    ///   - outputs: full names.
    ///   - reader: reads nothing else until this is whole or stopped.
    ///   - committed: the group's offsets, where it has any.
    init(
        _ plan: StageWorker.Plan, lanes: [Int32], inputs: [String], outputs: [String], reader: KafkaReader,
        committed: [KafkaLane: Int64]
    ) {
        self.plan = plan
        self.inputs = inputs
        self.outputs = outputs
        self.reader = reader
        self.committed = committed
        timeoutMilliseconds = plan.settings.lookUpTimeoutMilliseconds
        quiet = StampedOutputs(inputs: inputs.count)
        for lane in lanes {
            let driver = LaneDriver(layout: plan.layout, lane: lane, stage: plan.makeStage(lane))
            restored[lane] = Restored(
                driver: driver, starts: inputs.map { _ in .beginning }, resume: inputs.map { _ in nil })
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

    /// Forgets lanes that another process holds now.
    func drop(_ lanes: [Int32]) {
        for lane in lanes {
            for message in restored.removeValue(forKey: lane)?.held ?? [] { message.destroy() }
            countBefore[lane] = nil
        }
        read?.drop((inputs + outputs).flatMap { topic in lanes.map { KafkaLane(topic: topic, partition: $0) } })
    }

    /// Gives everything up.
    func stop() {
        read?.stop()
        read = nil
        for lane in restored.values { for message in lane.held { message.destroy() } }
        restored = [:]
        quiet.removeAll()
    }

    /// How far each lane is: what was read of all its topics, and what is left of the read under way.
    var progress: [Int32: KafkaReadToEnd.Progress] {
        var found: [Int32: KafkaReadToEnd.Progress] = [:]
        for lane in restored.keys { found[lane] = .init(read: countBefore[lane] ?? 0, left: read == nil ? nil : 0) }
        for (lane, part) in read?.progress ?? [:] {
            guard let all = found[lane.partition] else { continue }
            let left = all.left.flatMap { before in part.left.map { before + $0 } }
            found[lane.partition] = .init(read: all.read + part.read, left: left)
        }
        return found
    }

    /// Begins the read of the current phase.
    private func begin() throws {
        switch phase {
        case .tails: read = try makeRead(tailStarts())
        case .journal: read = try makeRead(journalStarts())
        case .replay(let input):
            let lanes = laneKeys(inputs[input])
            read = try makeRead(Dictionary(uniqueKeysWithValues: lanes.map { ($0, .position(.beginning)) }))
        case .whole: return
        }
    }

    private func makeRead(_ starts: [KafkaLane: KafkaReader.Start]) throws -> KafkaReadToEnd {
        try KafkaReadToEnd(reader, starts, timeoutMilliseconds: timeoutMilliseconds)
    }

    private func take(_ message: KafkaMessage, _ batch: KafkaBatch, _ index: Int) throws {
        switch phase {
        case .tails: takeTail(message)
        case .journal:
            guard let driver = restored[message.lane]?.driver else { return }
            var record = message.record
            record.input = 0
            driver.restore(record, clockHeader: message.clockHeader)
        case .replay(let input): replay(message, of: input, batch, index)
        case .whole: return
        }
    }

    /// Takes in what a read that is done has told, and goes on to the next phase.
    private func finish(_ read: KafkaReadToEnd) throws {
        for (lane, progress) in read.progress { countBefore[lane.partition, default: 0] += progress.read }
        switch phase {
        case .tails: phase = .journal
        case .journal:
            try findStarts()
            for lane in restored.keys.sorted() { restored[lane]?.driver.finishRestore(into: &quiet) }
            replayNext(after: -1)
        case .replay(let input):
            finishReplay(of: input, ends: read.ends)
            replayNext(after: input)
        case .whole: return
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
        for lane in restored.values where !plan.layout.counters.isEmpty {
            lane.driver.stage.counts = Array(repeating: 0, count: plan.layout.counters.count)
        }
    }

    private func laneKeys(_ topic: String) -> [KafkaLane] {
        restored.keys.sorted().map { KafkaLane(topic: topic, partition: $0) }
    }
}

// The outputs.
extension LaneRestorer {
    /// The tails of all outputs, in one read: of the journal the newest time of each lane, of the others the clock and
    /// the records that the stage wants to see.
    private func tailStarts() -> [KafkaLane: KafkaReader.Start] {
        var starts: [KafkaLane: KafkaReader.Start] = [:]
        for output in outputs.indices {
            numbers[reader.index(of: outputs[output])] = output
            for lane in laneKeys(outputs[output]) { starts[lane] = start(of: output) }
        }
        return starts
    }

    /// Where the tail of an output begins: the clock, or the journal's newest time, wants some records in any case.
    private func start(of output: Int) -> KafkaReader.Start {
        switch output == 0 ? .nothing : plan.layout.outputs[output].restored {
        case .nothing: .last(plan.settings.sideOutputTailRecords)
        case .last(let count): .last(max(plan.settings.sideOutputTailRecords, count))
        case .all: .position(.beginning)
        }
    }

    private func takeTail(_ message: KafkaMessage) {
        guard let driver = restored[message.lane]?.driver, let output = numbers[message.input] else { return }
        guard output > 0 else {
            newest[message.lane] = max(newest[message.lane] ?? message.timestamp, message.timestamp)
            return
        }
        var record = message.record
        if let clock = record.clock { driver.restoreClock(clock, of: output) }
        if case .nothing = plan.layout.outputs[output].restored { return }
        record.input = output
        driver.stage.restore(record)
    }

    /// The journal: its last memory before the newest time that its tail has told.
    private func journalStarts() -> [KafkaLane: KafkaReader.Start] {
        var starts: [KafkaLane: KafkaReader.Start] = [:]
        for lane in laneKeys(outputs[0]) {
            // A tail without a record is an empty lane or one whose end the broker has counted wrongly.
            starts[lane] =
                newest[lane.partition].map {
                    .time(Timestamp(milliseconds: $0.milliseconds - plan.layout.memoryMilliseconds))
                } ?? .position(.beginning)
        }
        return starts
    }
}

// The inputs.
extension LaneRestorer {
    /// Where each input goes on: after the journal, rewound from there, or after what will be replayed.
    private func findStarts() throws {
        for input in inputs.indices {
            var rewinds: [KafkaLane: Timestamp] = [:]
            for lane in restored.keys {
                let key = KafkaLane(topic: inputs[input], partition: lane)
                guard let entry = restored[lane] else { continue }
                if let offset = committed[key] { entry.driver.restorePosition(offset, of: input) }
                let position = entry.driver.positions[input]
                // Position 0 is the first record of a new topic, and "nobody knows" otherwise: the oldest either way.
                restored[lane]?.resume[input] = position > 0 ? position : nil
                restored[lane]?.starts[input] = position > 0 ? .offset(position) : .beginning
                if case .rewound(let milliseconds) = plan.layout.inputs[input].resume, position > 0,
                    let newest = entry.driver.time.newest
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

    /// A record of a replayed input: what was answered before is shown to the stage again, the rest is held for its time.
    private func replay(_ message: KafkaMessage, of input: Int, _ batch: KafkaBatch, _ index: Int) {
        guard let entry = restored[message.lane] else { return }
        if message.offset < entry.resume[input] ?? 0 {
            var record = message.record
            record.input = input
            entry.driver.recall(record, scratch: &scratch)
        } else if entry.held.count < plan.settings.maximumHeldRecords, let kept = batch.take(at: index) {
            restored[message.lane]?.held.append(kept.renumbered(input))
            restored[message.lane]?.starts[input] = .offset(kept.offset + 1)
        }
    }

    private func finishReplay(of input: Int, ends: [KafkaLane: Int64]) {
        for (key, end) in ends {
            guard let entry = restored[key.partition], entry.held.count < plan.settings.maximumHeldRecords
            else { continue }
            restored[key.partition]?.starts[input] = .offset(max(end, entry.resume[input] ?? 0))
        }
    }
}
