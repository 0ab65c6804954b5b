import Kafka
import Lanes
import Logging
import Tracking

/// Reads back what a process needs to carry lanes on: state and clock from the stage's own output, positions from
/// there and from the group, and the replayed inputs from their beginning.
///
/// All lanes at once, through one reader. Belongs to the worker's thread.
struct LaneRestorer {
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

    let plan: StageWorker.Plan
    let inputs: [String]
    let outputs: [String]
    let reader: KafkaReader
    /// Called now and then with the number of records read so far; throwing gives up.
    let progress: (Int) throws -> Void

    /// - Parameters:
    ///   - lanes: lane numbers.
    ///   - committed: the group's offsets, where it has any.
    ///   - quiet: gets the outputs of ``Stage/finishRestore(into:)``.
    /// - Returns: one entry per lane.
    /// - Throws: ``KafkaError``, retriable when the broker went away: then nothing is left over and all begins anew.
    func restore(
        _ lanes: [Int32], committed: [KafkaLane: Int64], into quiet: inout StampedOutputs
    ) throws -> [Int32: Restored] {
        var restored: [Int32: Restored] = [:]
        for lane in lanes {
            let driver = LaneDriver(layout: plan.layout, lane: lane, stage: plan.makeStage(lane))
            restored[lane] = Restored(
                driver: driver, starts: inputs.map { _ in .beginning }, resume: inputs.map { _ in nil })
        }
        do {
            var count = 0
            let newest = try restoreTails(restored, &count)
            try restoreJournal(restored, newest, &count)
            try findStarts(&restored, committed)
            for lane in lanes { restored[lane]?.driver.finishRestore(into: &quiet) }
            try replay(&restored, &count)
        } catch {
            for lane in restored.values { for message in lane.held { message.destroy() } }
            quiet.removeAll()
            throw error
        }
        return restored
    }

    /// The tails of all outputs, in one read: of the journal the newest time of each lane, of the others the clock and
    /// the records that the stage wants to see.
    private func restoreTails(_ restored: [Int32: Restored], _ count: inout Int) throws -> [Int32: Timestamp] {
        var starts: [KafkaLane: KafkaReader.Start] = [:]
        var numbers: [Int: Int] = [:]
        for output in outputs.indices {
            numbers[reader.index(of: outputs[output])] = output
            for lane in laneKeys(outputs[output], restored) { starts[lane] = start(of: output) }
        }
        var newest: [Int32: Timestamp] = [:]
        try read(starts, &count) { message in
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
        return newest
    }

    /// Where the tail of an output begins: the clock, or the journal's newest time, wants some records in any case.
    private func start(of output: Int) -> KafkaReader.Start {
        switch output == 0 ? .nothing : plan.layout.outputs[output].restored {
        case .nothing: .last(plan.settings.sideOutputTailRecords)
        case .last(let count): .last(max(plan.settings.sideOutputTailRecords, count))
        case .all: .position(.beginning)
        }
    }

    /// The journal: its last memory before the newest time that its tail has told.
    private func restoreJournal(
        _ restored: [Int32: Restored], _ newest: [Int32: Timestamp], _ count: inout Int
    ) throws {
        var starts: [KafkaLane: KafkaReader.Start] = [:]
        for lane in laneKeys(outputs[0], restored) {
            // A tail without a record is an empty lane or one whose end the broker has counted wrongly.
            starts[lane] =
                newest[lane.partition].map {
                    .time(Timestamp(milliseconds: $0.milliseconds - plan.layout.memoryMilliseconds))
                } ?? .position(.beginning)
        }
        try read(starts, &count) { message in
            guard let driver = restored[message.lane]?.driver else { return }
            var record = message.record
            record.input = 0
            driver.restore(record, clockHeader: message.clockHeader)
        }
    }

    /// Where each input goes on: after the journal, rewound from there, or after what will be replayed.
    private func findStarts(_ restored: inout [Int32: Restored], _ committed: [KafkaLane: Int64]) throws {
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
            let found = try reader.offsets(of: Array(rewinds.keys), atOrAfter: { rewinds[$0] ?? fallback })
            for (key, offset) in found {
                guard let position = restored[key.partition]?.resume[input] else { continue }
                restored[key.partition]?.starts[input] = .offset(min(offset, position))
            }
        }
    }

    /// The replayed inputs: what was answered before is shown to the stage again, the rest is held for its time.
    private func replay(_ restored: inout [Int32: Restored], _ count: inout Int) throws {
        var scratch = OutputBatch()
        for input in inputs.indices {
            guard case .replayed = plan.layout.inputs[input].resume else { continue }
            let lanes = laneKeys(inputs[input], restored)
            let starts = Dictionary(uniqueKeysWithValues: lanes.map { ($0, KafkaReader.Start.position(.beginning)) })
            let ends = try readKeeping(starts, &count) { batch, index, message in
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
            for (key, end) in ends {
                guard let entry = restored[key.partition] else { continue }
                if entry.held.count < plan.settings.maximumHeldRecords {
                    restored[key.partition]?.starts[input] = .offset(max(end, entry.resume[input] ?? 0))
                }
            }
        }
        for lane in restored.values where !plan.layout.counters.isEmpty {
            lane.driver.stage.counts = Array(repeating: 0, count: plan.layout.counters.count)
        }
    }

    private func laneKeys(_ topic: String, _ restored: [Int32: Restored]) -> [KafkaLane] {
        restored.keys.sorted().map { KafkaLane(topic: topic, partition: $0) }
    }

    private func read(
        _ starts: [KafkaLane: KafkaReader.Start], _ count: inout Int, _ body: (KafkaMessage) throws -> Void
    ) throws {
        _ = try readKeeping(starts, &count) { _, _, message in try body(message) }
    }

    private func readKeeping(
        _ starts: [KafkaLane: KafkaReader.Start], _ count: inout Int,
        _ body: (KafkaBatch, Int, KafkaMessage) throws -> Void
    ) throws -> [KafkaLane: Int64] {
        var read = count
        defer { count = read }
        return try reader.readToEnd(starts) {
            try progress(read)
        } body: { batch, index, message in
            read += 1
            try body(batch, index, message)
        }
    }
}
