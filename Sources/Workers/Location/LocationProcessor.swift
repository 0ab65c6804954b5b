import Codec
import Model
import Processing
import SpoofDetection
import Support

/// Judges and smooths the raw locations of one partition: one verdict per fix, warnings when they start and when they
/// are over, dead letters for what cannot be read.
///
/// Every verdict carries the driver's state after it, so that reading back the last minutes of verdicts restores the
/// partition. State that old is forgotten by a partition that never stopped, too.
package final class LocationProcessor: Processor {
    /// Indices into the layout's outputs.
    enum Topic {
        static let verdicts = 0
        static let deadLetters = 1
        static let warnings = 2
        static let tracks = 3
    }

    /// When a record was received, as far as that is known.
    private struct Receipt {
        /// What its fixes are judged by.
        var at: Timestamp
        /// What its verdicts are dated by: stream time where that has not followed the receipt.
        var datedAt: Timestamp
        /// Whether `at` is that record's time, and not stream time in its place.
        var isKnown = true

        var isAhead: Bool { at > datedAt }
    }

    package var counts: [Int]
    package private(set) var unreadable = UnreadableStates()

    private let settings: TrackingSettings
    private let judge: SpoofDetector
    private let reader = RawRecordReader()
    private let deadLetter: DeadLetter
    private var drivers = KeyTable()
    private var states: ContiguousArray<DriverState> = []
    private var tracks: TrackMemory
    private var disturbances: DisturbanceMemory
    /// The last event answered; whatever does not come after it was answered before.
    private var clock: EventID?
    private var streamTime: ReceiptTimeEstimator
    private var sweptAt = Timestamp(milliseconds: .min)
    /// When the warnings of drivers that have fallen silent are looked at next; `nil` before the first fix.
    private var endsDueAt: Timestamp?
    /// Chunks of tracks read back from their own topic.
    private var writtenChunks: [(event: EventID, chunk: UInt64, at: Timestamp)] = []
    /// Chunks of tracks found in restored verdicts, which may not have reached their own topic.
    private var restoredChunks: [(event: EventID, driver: String, chunk: UInt64, at: Timestamp)] = []

    /// A stage for the partition whose raw records it will be given.
    package init(partition: Int32, settings: TrackingSettings) {
        self.settings = settings
        judge = SpoofDetector(settings: settings)
        streamTime = ReceiptTimeEstimator(memorySeconds: settings.memorySeconds)
        tracks = TrackMemory(settings.replay)
        disturbances = DisturbanceMemory(settings: settings)
        deadLetter = DeadLetter(
            topic: PipelineTopic.rawLocations.rawValue, stage: "location", processor: "RawRecordReader",
            output: Topic.deadLetters)
        counts = Array(repeating: 0, count: Self.counterDefinitions.count)
    }

    package func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        guard record.timestamp.milliseconds > 0 else { return process(undated: record, into: &outputs) }
        process(record, isDated: true, into: &outputs)
    }

    /// Answers a record without a timestamp, or with one that is no time.
    ///
    /// It counts as received at stream time, and does not move it. Before there is stream time, its device's time counts.
    private func process(undated record: InputRecord, into outputs: inout OutputBatch) {
        var dated = record
        dated.timestamp = Timestamp(milliseconds: max(1, streamTime.now.milliseconds))
        process(dated, isDated: false, into: &outputs)
    }

    private func process(_ record: InputRecord, isDated: Bool, into outputs: inout OutputBatch) {
        let event = EventID(partition: record.partition, offset: record.offset)
        if let clock, clock.offset > record.offset { return }
        switch reader.read(key: record.key, value: record.value) {
        case .unreadable(let reason, let detail):
            if let clock, !event.isAfter(clock) { return }
            appendDeadLetter(record, event, reason, "\(detail)", into: &outputs)
            clock = event
        case .fixes(let isBatch):
            answerFixes(of: record, isDated: isDated, event, isBatch: isBatch, into: &outputs)
        }
        sweepIfDue()
    }

    private func answerFixes(
        of record: InputRecord, isDated: Bool, _ event: EventID, isBatch: Bool, into outputs: inout OutputBatch
    ) {
        // Under the record's own event, which comes before those of its fixes: it is there before their verdicts are.
        if reader.unreadableCount > 0, clock.map({ event.isAfter($0) }) ?? true {
            appendDeadLetter(ofBatch: record, event, into: &outputs)
        }
        var receipt: Receipt?
        for index in reader.fixes.indices {
            let event = isBatch ? event.withFix(index) : event
            if let clock, !event.isAfter(clock) { continue }
            clock = event
            guard reader.fixes[index].unreadable == nil else { continue }
            let driver = slot(of: record.key)
            // What leaves no verdict moves no time: a restore would not see it.
            let known = receipt ?? (isDated ? date(record, of: driver) : undatedReceipt())
            receipt = known
            answer(index, of: record, driver, known, event, into: &outputs)
            if endsDueAt.map({ streamTime.now >= $0 }) ?? true {
                endSilentWarnings(but: driver, event, into: &outputs)
            }
        }
    }

    private func answer(
        _ index: Int, of record: InputRecord, _ driver: Int, _ receipt: Receipt, _ event: EventID,
        into outputs: inout OutputBatch
    ) {
        guard receipt.isKnown else {
            let judgement = judge.refuse(at: receipt.at, state: states[driver])
            count(judgement)
            return appendVerdict(judgement, index, driver, record, receipt, event, into: &outputs)
        }
        let judgement = judge(index, of: driver, receipt)
        count(judgement)
        appendVerdict(judgement, index, driver, record, receipt, event, into: &outputs)
        for (number, warning) in judgement.warnings.enumerated() {
            appendWarning(
                warning, judgement.risk, record.key, receipt, event.withMessage(number), into: &outputs)
        }
        if let chunk = judgement.completedTrackChunk {
            appendChunk(chunk, driver: record.key, at: streamTime.now, event, into: &outputs)
        }
    }

    /// Judges a fix; by its own receipt alone where stream time has not followed that.
    @inline(__always)
    private func judge(_ index: Int, of driver: Int, _ receipt: Receipt) -> VerdictResult {
        let fix = reader.fixes[index].fix
        guard receipt.isAhead else {
            return judge.judge(
                fix, receivedAt: receipt.at, streamTime: streamTime.now, driver: driver,
                state: &states[driver], tracks: &tracks, disturbances: &disturbances)
        }
        // A time that may be wrong must not reach what the drivers of the partition have together.
        var disturbances = DisturbanceMemory.none
        return judge.judge(
            fix, receivedAt: receipt.at, streamTime: receipt.at, partitionTime: streamTime.now, driver: driver,
            state: &states[driver], tracks: &tracks, disturbances: &disturbances)
    }

    /// Dates a record, and moves stream time where it follows the record.
    @inline(__always)
    private func date(_ record: InputRecord, of driver: Int) -> Receipt {
        let now = streamTime.now
        let found = streamTime.receipt(stamped: record.timestamp, device: newestDeviceTime()) {
            forgetsOthers(than: driver, from: now, to: $0)
        }
        if found != .followed(record.timestamp) { counts[Self.receiptSlot] += 1 }
        return switch found {
        case .followed(let time): Receipt(at: time, datedAt: time)
        case .ahead(let time): Receipt(at: time, datedAt: streamTime.now)
        case .unknown: Receipt(at: streamTime.now, datedAt: streamTime.now, isKnown: false)
        }
    }

    private func undatedReceipt() -> Receipt {
        if streamTime.now.milliseconds <= 0 {
            let device = newestDeviceTime()?.milliseconds ?? 1
            _ = streamTime.receipt(stamped: Timestamp(milliseconds: max(1, device)), device: nil) { _ in false }
        }
        return Receipt(at: streamTime.now, datedAt: streamTime.now)
    }

    private func newestDeviceTime() -> Timestamp? {
        reader.fixes.lazy.compactMap { $0.unreadable == nil ? $0.fix.deviceAt : nil }.max()
    }

    /// Whether a driver other than the one numbered `driver` is remembered at `now`, and would not be at `time`.
    private func forgetsOthers(than driver: Int, from now: Timestamp, to time: Timestamp) -> Bool {
        states.indices.contains { index in
            guard index != driver, drivers.contains(index: index), states[index].isKnown else { return false }
            let seen = states[index].seenAt
            let memory = states[index].memorySeconds(settings)
            return now.seconds(since: seen) <= memory && time.seconds(since: seen) > memory
        }
    }

    private func slot(of key: ByteSlice) -> Int { drivers.slot(of: key, in: &states, blank: DriverState()) }

    /// Stream time between two looks at the warnings of silent drivers.
    private var endsIntervalMilliseconds: Int64 { max(1, Int64(settings.memorySeconds * 100)) }

    /// The last multiple of that interval which stream time has passed.
    private var passedEnds: Timestamp {
        let interval = endsIntervalMilliseconds
        let milliseconds = streamTime.now.milliseconds
        return Timestamp(milliseconds: milliseconds - (milliseconds % interval + interval) % interval)
    }

    /// Says which warnings are over of drivers that no fix came from, whenever stream time passes a tenth of the memory.
    ///
    /// What is over follows from the last multiple passed and from the drivers' states alone, and is told in the order
    /// of their ids: a partition that was restored in between tells the same. `driver`, whose fix passed it, has been
    /// judged.
    private func endSilentWarnings(but driver: Int, _ event: EventID, into outputs: inout OutputBatch) {
        let due = passedEnds
        endsDueAt = Timestamp(milliseconds: due.milliseconds + endsIntervalMilliseconds)
        var ended: [(driver: String, warnings: [LocationWarning], risk: Double)] = []
        for index in states.indices where index != driver && drivers.contains(index: index) {
            let (warnings, risk) = judge.endWarnings(of: &states[index], at: due)
            if !warnings.isEmpty { ended.append((drivers.key(at: index).string, warnings, risk)) }
        }
        ended.sort { $0.driver < $1.driver }
        var number: UInt64 = 0
        for (id, warnings, risk) in ended {
            for warning in warnings {
                number += 1
                let now = Receipt(at: streamTime.now, datedAt: streamTime.now)
                ByteSlice.withBytes(of: id) {
                    appendWarning(warning, risk, $0, now, event.withPunctuation(number), into: &outputs)
                }
            }
        }
    }

    /// Once a minute of stream time, frees the drivers whose state has been forgotten anyway.
    private func sweepIfDue() {
        let streamTime = streamTime.now
        guard streamTime.seconds(since: sweptAt) >= 60 else { return }
        sweep()
    }

    private func sweep() {
        let now = streamTime.now
        sweptAt = now
        for index in 0..<drivers.capacity where drivers.contains(index: index) {
            if now.seconds(since: states[index].seenAt) > states[index].memorySeconds(settings) {
                drivers.remove(at: index)
            }
        }
    }
}

// MARK: - Restoring

extension LocationProcessor {
    package func restore(_ record: InputRecord) {
        guard let event = record.clock else { return }
        if record.input == Topic.tracks {
            guard let chunk = TrackChunkRecord.chunk(of: record.state) else { return }
            noteWritten(chunk, of: event, at: record.timestamp)
        } else if record.input == Topic.verdicts {
            restoreVerdict(record, event)
        }
    }

    private func restoreVerdict(_ record: InputRecord, _ event: EventID) {
        if let clock, !event.isAfter(clock) { return }
        clock = event
        let (stateBytes, extras) = VerdictState.split(record.state)
        guard let state = DriverState(decoding: stateBytes.buffer) else {
            return unreadable.note("a driver", VerdictState.problem(of: record.state))
        }
        let isOwnTime = extras.isAhead || extras.isRefusal
        streamTime.restore(
            isOwnTime ? record.timestamp : max(state.seenAt, record.timestamp), candidate: extras.candidate,
            refutations: extras.refutations)
        let driver = slot(of: record.key)
        if !isOwnTime { disturbances.noteActivity(before: states[driver], after: state) }
        states[driver] = state
        if let anomaly = extras.anomaly { disturbances.note(anomaly, of: driver) }
        if let chunk = extras.chunk {
            let at = extras.isAhead ? record.timestamp : state.seenAt
            restoredChunks.append((event, record.key.string, chunk, at))
        }
    }

    package func finishRestore(into outputs: inout OutputBatch) {
        let written = writtenChunks.last?.event
        rememberWritten(keeping: 0)
        for found in restoredChunks {
            if let written, !found.event.isAfter(written) { continue }
            tracks.remember(chunk: found.chunk, at: found.at)
            ByteSlice.withBytes(of: found.driver) {
                appendChunk(found.chunk, driver: $0, at: found.at, found.event, into: &outputs)
            }
        }
        restoredChunks = []
        // For the flags' sake more was read back than is remembered of other drivers.
        sweep()
        passOverEnds()
    }

    /// Chunks held back until the clock is known, while their topic is read.
    ///
    /// Many more than a worker may have sent without their verdicts, and far fewer than are remembered.
    private static let heldBackChunks = 65_536

    private func noteWritten(_ chunk: UInt64, of event: EventID, at time: Timestamp) {
        // A worker that took the partition over has sent again what the one before it had sent without a verdict.
        if let last = writtenChunks.last, !event.isAfter(last.event) { return }
        writtenChunks.append((event, chunk, time))
        if writtenChunks.count == 2 * Self.heldBackChunks { rememberWritten(keeping: Self.heldBackChunks) }
    }

    /// Remembers the chunks written but for the last `count` of them.
    private func rememberWritten(keeping count: Int) {
        let settled = writtenChunks.count - count
        for found in writtenChunks.prefix(settled) {
            // A chunk may have arrived whose verdict has not: its fix is judged again, and must not meet its own track.
            if count == 0, clock.map({ found.event.isAfter($0) }) ?? true { break }
            tracks.remember(chunk: found.chunk, at: found.at)
        }
        writtenChunks.removeFirst(settled)
    }

    /// Ends the warnings that were said to be over already.
    private func passOverEnds() {
        guard !states.isEmpty else { return }
        let passed = passedEnds
        for index in states.indices where drivers.contains(index: index) {
            _ = judge.endWarnings(of: &states[index], at: passed)
        }
        endsDueAt = Timestamp(milliseconds: passed.milliseconds + endsIntervalMilliseconds)
    }
}

// MARK: - Outputs

extension LocationProcessor {
    private func appendVerdict(
        _ judgement: VerdictResult, _ index: Int, _ driver: Int, _ record: InputRecord, _ receipt: Receipt,
        _ event: EventID, into outputs: inout OutputBatch
    ) {
        outputs.begin(topic: Topic.verdicts, clock: event, timestamp: receipt.datedAt, key: record.key)
        outputs.writeValue {
            VerdictWriter.write(
                event: event, driverID: record.key, raw: reader.fixes[index], judgement: judgement,
                receivedAt: receipt.at, into: &$0)
        }
        outputs.writeHeader(RecordHeader.state) {
            VerdictState(
                chunk: judgement.completedTrackChunk, anomaly: judgement.anomaly, candidate: streamTime.candidate,
                refutations: streamTime.newRefutations, isRefusal: !receipt.isKnown, isAhead: receipt.isAhead
            ).write(states[driver], as: settings.stateForm, into: &$0)
        }
        // What a restore would not read back must not be known without one either.
        if settings.stateForm == .previous { states[driver].forgetAdditions() }
    }

    private func appendWarning(
        _ warning: LocationWarning, _ risk: Double, _ driver: ByteSlice, _ receipt: Receipt, _ event: EventID,
        into outputs: inout OutputBatch
    ) {
        counts[Self.counter(of: warning)] += 1
        outputs.begin(topic: Topic.warnings, clock: event, timestamp: receipt.datedAt, key: driver)
        outputs.writeValue {
            WarningWriter.write(
                event: event, driverID: driver, warning: warning, risk: risk, at: receipt.at, into: &$0)
        }
    }

    private func appendChunk(
        _ chunk: UInt64, driver: ByteSlice, at time: Timestamp, _ event: EventID, into outputs: inout OutputBatch
    ) {
        outputs.begin(topic: Topic.tracks, clock: event, timestamp: time, key: driver)
        outputs.writeValue { TrackChunkRecord.write(event: event, driverID: driver, chunk: chunk, into: &$0) }
        outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: chunk) }
    }

    private func appendDeadLetter(
        _ record: InputRecord, _ event: EventID, _ reason: DeadLetterReason, _ field: String,
        into outputs: inout OutputBatch
    ) {
        counts[Self.counter(of: reason)] += 1
        deadLetter.write(
            record, clock: event, reason: reason, field: field, form: .rawLocations, into: &outputs)
    }

    /// One dead letter for all fixes of a batch that cannot be read.
    private func appendDeadLetter(ofBatch record: InputRecord, _ event: EventID, into outputs: inout OutputBatch) {
        guard let reason = reader.fixes.lazy.compactMap(\.unreadable).first else { return }
        counts[Self.counter(of: reason)] += 1
        counts[Self.unreadableFixSlot] += deadLetter.write(
            record, clock: event, batch: reader.fixes, into: &outputs)
    }
}
