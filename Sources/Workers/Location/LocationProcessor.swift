import Codec
import Domain
import Processing
import Support

/// Processor that evaluates and smooths the raw locations of one partition.
///
/// Writes one verdict per readable fix, warnings (when they start, change and end), track chunks, and dead letters.
/// Each verdict carries the driver's state after it. A restore reads the verdicts of the last
/// ``TrackingSettings/longestMemorySeconds``, and the last ``TrackingSettings/Replay/rememberedChunks`` chunks.
package final class LocationProcessor: Processor {
    /// Indices into the layout's outputs.
    enum Topic {
        static let verdicts = 0
        static let deadLetters = 1
        static let warnings = 2
        static let tracks = 3
    }

    private struct Receipt {
        /// Receipt time with which the record's fixes are evaluated.
        var at: Timestamp
        /// Timestamp of the record's verdicts: `at`, or stream time if `at` is ahead of it.
        var datedAt: Timestamp
        /// Whether the receipt time is known; if not, the fixes are rejected at stream time.
        var isUsable = true

        var isAhead: Bool { at > datedAt }
    }

    package var counts: [Int]
    package private(set) var unreadable = UnreadableStates()

    private let settings: TrackingSettings
    private let detector: SpoofDetector
    private let reader = RawRecordReader()
    private let deadLetter: DeadLetter
    private var drivers = KeyTable()
    private var states: ContiguousArray<DriverState> = []
    private var tracks: TrackMemory
    private var disturbances: DisturbanceMemory
    /// The newest processed event; records and fixes up to it are duplicates.
    private var lastEvent: EventID?
    private var streamTime: ReceiptTimeEstimator
    private var sweptAt = Timestamp(milliseconds: .min)
    /// Stream time of the next check for expired warnings; `nil` until a fix is processed or restored.
    private var expiryCheckDueAt: Timestamp?
    /// Track chunks read from the tracks topic during a restore.
    private var writtenChunks: [(event: EventID, chunk: UInt64, at: Timestamp)] = []
    /// Track chunks found in restored verdicts; some may be missing in the tracks topic.
    private var restoredChunks: [(event: EventID, driver: String, chunk: UInt64, at: Timestamp)] = []

    package init(partition: Int32, settings: TrackingSettings) {
        self.settings = settings
        detector = SpoofDetector(settings: settings)
        streamTime = ReceiptTimeEstimator(memorySeconds: settings.memorySeconds)
        tracks = TrackMemory(settings.replay)
        disturbances = DisturbanceMemory(settings: settings)
        deadLetter = DeadLetter(
            topic: PipelineTopic.rawLocations.rawValue, stage: "location", processor: "RawRecordReader",
            output: Topic.deadLetters)
        counts = Array(repeating: 0, count: Self.counterDefinitions.count)
    }

    package func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        if record.timestamp.milliseconds > 0 { return process(record, isDated: true, into: &outputs) }
        // A record without a valid timestamp counts as received at stream time.
        var dated = record
        dated.timestamp = Timestamp(milliseconds: max(1, streamTime.now.milliseconds))
        process(dated, isDated: false, into: &outputs)
    }

    private func process(_ record: InputRecord, isDated: Bool, into outputs: inout OutputBatch) {
        let event = EventID(partition: record.partition, offset: record.offset)
        if let lastEvent, lastEvent.offset > record.offset { return }
        switch reader.read(key: record.key, value: record.value) {
        case .unreadable(let reason, let detail):
            if let lastEvent, !event.isAfter(lastEvent) { return }
            appendDeadLetter(record, event, reason, "\(detail)", into: &outputs)
            lastEvent = event
        case .fixes(let isBatch):
            processFixes(of: record, isDated: isDated, event, isBatch: isBatch, into: &outputs)
        }
        sweepIfDue()
    }

    private func processFixes(
        of record: InputRecord, isDated: Bool, _ event: EventID, isBatch: Bool, into outputs: inout OutputBatch
    ) {
        // The record's own event precedes those of its fixes, so the dead letter is written before their verdicts.
        if reader.unreadableCount > 0, lastEvent.map({ event.isAfter($0) }) ?? true {
            appendDeadLetter(ofBatch: record, event, into: &outputs)
        }
        var receipt: Receipt?
        for index in reader.fixes.indices {
            let event = isBatch ? event.withFix(index) : event
            if let lastEvent, !event.isAfter(lastEvent) { continue }
            lastEvent = event
            guard reader.fixes[index].unreadable == nil else { continue }
            let driver = slot(of: record.key)
            // Only fixes that produce a verdict advance stream time, because a restore derives stream time from them.
            let current = receipt ?? (isDated ? estimateReceipt(of: record, driver) : undatedReceipt())
            receipt = current
            processFix(index, of: record, driver, current, event, into: &outputs)
            if expiryCheckDueAt.map({ streamTime.now >= $0 }) ?? true {
                resolveWarningsOfSilentDrivers(except: driver, event, into: &outputs)
            }
        }
    }

    private func processFix(
        _ index: Int, of record: InputRecord, _ driver: Int, _ receipt: Receipt, _ event: EventID,
        into outputs: inout OutputBatch
    ) {
        guard receipt.isUsable else {
            let result = detector.rejectUnknownReceipt(at: receipt.at, state: states[driver])
            count(result)
            return appendVerdict(result, index, driver, record, receipt, event, into: &outputs)
        }
        let result = evaluate(index, of: driver, receipt)
        count(result)
        appendVerdict(result, index, driver, record, receipt, event, into: &outputs)
        for (number, warning) in result.warnings.enumerated() {
            appendWarning(warning, result.risk, record.key, receipt, event.withMessage(number), into: &outputs)
        }
        if let chunk = result.completedTrackChunk {
            appendChunk(chunk, driver: record.key, at: streamTime.now, event, into: &outputs)
        }
    }

    /// Evaluates a fix at stream time, or at its receipt time if the receipt time is ahead.
    @inline(__always) private func evaluate(_ index: Int, of driver: Int, _ receipt: Receipt) -> VerdictResult {
        let fix = reader.fixes[index].fix
        guard receipt.isAhead else {
            return detector.evaluate(
                fix, receivedAt: receipt.at, streamTime: streamTime.now, driver: driver,
                state: &states[driver], tracks: &tracks, disturbances: &disturbances)
        }
        // A receipt time that may be wrong must not affect state shared by all drivers of the
        // partition. Therefore, tracks are dated by stream time, and disturbances are ignored.
        var disturbances = DisturbanceMemory.none
        return detector.evaluate(
            fix, receivedAt: receipt.at, streamTime: receipt.at, partitionTime: streamTime.now, driver: driver,
            state: &states[driver], tracks: &tracks, disturbances: &disturbances)
    }

    /// Estimates the receipt time of a record, and advances stream time to it if plausible.
    @inline(__always) private func estimateReceipt(of record: InputRecord, _ driver: Int) -> Receipt {
        let now = streamTime.now
        let estimate = streamTime.receipt(of: record.timestamp, device: newestDeviceTime()) {
            wouldEvictOtherDrivers(than: driver, from: now, to: $0)
        }
        if estimate != .followed(record.timestamp) { counts[Self.receiptSlot] += 1 }
        return switch estimate {
        case .followed(let time): Receipt(at: time, datedAt: time)
        case .ahead(let time): Receipt(at: time, datedAt: streamTime.now)
        case .unknown: Receipt(at: streamTime.now, datedAt: streamTime.now, isUsable: false)
        }
    }

    /// Returns a receipt at stream time, which starts at the newest device time if the partition has none yet.
    private func undatedReceipt() -> Receipt {
        if streamTime.now.milliseconds <= 0 {
            let device = newestDeviceTime()?.milliseconds ?? 1
            _ = streamTime.receipt(of: Timestamp(milliseconds: max(1, device)), device: nil) { _ in false }
        }
        return Receipt(at: streamTime.now, datedAt: streamTime.now)
    }

    private func newestDeviceTime() -> Timestamp? {
        reader.fixes.lazy.compactMap { $0.unreadable == nil ? $0.fix.deviceAt : nil }.max()
    }

    /// Returns whether advancing stream time from `now` to `time` evicts another driver's state.
    private func wouldEvictOtherDrivers(than driver: Int, from now: Timestamp, to time: Timestamp) -> Bool {
        states.indices.contains { index in
            guard index != driver, drivers.contains(index: index), states[index].isKnown else { return false }
            let seen = states[index].seenAt
            let memory = states[index].memorySeconds(settings)
            return now.seconds(since: seen) <= memory && time.seconds(since: seen) > memory
        }
    }

    private func slot(of key: ByteSlice) -> Int { drivers.slot(of: key, in: &states, blank: DriverState()) }

    /// Stream time between two checks for expired warnings: a tenth of ``TrackingSettings/memorySeconds``.
    private var expiryIntervalMilliseconds: Int64 { max(1, Int64(settings.memorySeconds * 100)) }

    /// Stream time, rounded down to a multiple of ``expiryIntervalMilliseconds``.
    private var lastExpiryCheck: Timestamp {
        let interval = expiryIntervalMilliseconds
        let milliseconds = streamTime.now.milliseconds
        return Timestamp(milliseconds: milliseconds - (milliseconds % interval + interval) % interval)
    }

    /// Writes RESOLVED for expired warnings of drivers without a fix since ``lastExpiryCheck``.
    ///
    /// Skips `driver`, whose fix is being processed. The records depend only on ``lastExpiryCheck``
    /// and the drivers' states, and are ordered by driver id, so a restored partition writes the
    /// same.
    private func resolveWarningsOfSilentDrivers(except driver: Int, _ event: EventID, into outputs: inout OutputBatch) {
        let due = lastExpiryCheck
        expiryCheckDueAt = Timestamp(milliseconds: due.milliseconds + expiryIntervalMilliseconds)
        var resolved: [(driver: String, warnings: [LocationWarning], risk: Double)] = []
        for index in states.indices where index != driver && drivers.contains(index: index) {
            let (warnings, risk) = detector.endWarnings(of: &states[index], at: due)
            if !warnings.isEmpty { resolved.append((drivers.key(at: index).string, warnings, risk)) }
        }
        resolved.sort { $0.driver < $1.driver }
        let now = Receipt(at: streamTime.now, datedAt: streamTime.now)
        var number: UInt64 = 0
        for (id, warnings, risk) in resolved {
            for warning in warnings {
                number += 1
                ByteSlice.withBytes(of: id) {
                    appendWarning(warning, risk, $0, now, event.withPunctuation(number), into: &outputs)
                }
            }
        }
    }

    /// Frees the slots of drivers whose state has expired, once per minute of stream time.
    private func sweepIfDue() {
        if streamTime.now.seconds(since: sweptAt) >= 60 { sweep() }
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
        guard let event = record.event else { return }
        if record.input == Topic.tracks {
            guard let chunk = TrackChunkRecord.chunk(of: record.state) else { return }
            recordWritten(chunk, of: event, at: record.timestamp)
        } else if record.input == Topic.verdicts {
            restoreVerdict(record, event)
        }
    }

    private func restoreVerdict(_ record: InputRecord, _ event: EventID) {
        if let lastEvent, !event.isAfter(lastEvent) { return }
        lastEvent = event
        let (stateBytes, extras) = VerdictState.split(record.state)
        guard let state = DriverState(decoding: stateBytes.buffer) else {
            return unreadable.record("a driver", VerdictState.problem(of: record.state))
        }
        // Such a record did not advance stream time to the driver's `seenAt`.
        let leavesStreamTime = extras.isAhead || extras.isUnknownReceipt
        streamTime.restore(
            leavesStreamTime ? record.timestamp : max(state.seenAt, record.timestamp), candidate: extras.candidate,
            refutations: extras.refutations)
        let driver = slot(of: record.key)
        if !leavesStreamTime { disturbances.recordActivity(before: states[driver], after: state) }
        states[driver] = state
        if let anomaly = extras.anomaly { disturbances.record(anomaly, of: driver) }
        if let chunk = extras.chunk {
            let at = extras.isAhead ? record.timestamp : state.seenAt
            restoredChunks.append((event, record.key.string, chunk, at))
        }
    }

    package func finishRestore(into outputs: inout OutputBatch) {
        let written = writtenChunks.last?.event
        addWrittenChunks(keeping: 0)
        for found in restoredChunks {
            if let written, !found.event.isAfter(written) { continue }
            tracks.remember(chunk: found.chunk, at: found.at)
            ByteSlice.withBytes(of: found.driver) {
                appendChunk(found.chunk, driver: $0, at: found.at, found.event, into: &outputs)
            }
        }
        restoredChunks = []
        // Flagged drivers are kept longer, so the restore read older verdicts of others. The sweep
        // evicts them.
        sweep()
        replayExpiredWarnings()
    }

    /// Number of newest chunks to buffer until the last verdict is known; far fewer lack verdicts.
    private static let pendingChunkLimit = 65_536

    private func recordWritten(_ chunk: UInt64, of event: EventID, at time: Timestamp) {
        // Drops duplicates: a new owner repeats chunks that were sent without their verdicts.
        if let last = writtenChunks.last, !event.isAfter(last.event) { return }
        writtenChunks.append((event, chunk, time))
        if writtenChunks.count == 2 * Self.pendingChunkLimit { addWrittenChunks(keeping: Self.pendingChunkLimit) }
    }

    /// Adds written chunks, except the last `count`, to the track memory; `count` 0 also drops
    /// chunks without a verdict.
    private func addWrittenChunks(keeping count: Int) {
        let ready = writtenChunks.count - count
        for found in writtenChunks.prefix(ready) {
            // A fix whose verdict is missing is evaluated again and must not match its own track.
            if count == 0, lastEvent.map({ found.event.isAfter($0) }) ?? true { break }
            tracks.remember(chunk: found.chunk, at: found.at)
        }
        writtenChunks.removeFirst(ready)
    }

    /// Resolves the warnings whose RESOLVED records were written before the restart.
    private func replayExpiredWarnings() {
        guard !states.isEmpty else { return }
        let last = lastExpiryCheck
        for index in states.indices where drivers.contains(index: index) {
            _ = detector.endWarnings(of: &states[index], at: last)
        }
        expiryCheckDueAt = Timestamp(milliseconds: last.milliseconds + expiryIntervalMilliseconds)
    }
}

// MARK: - Outputs

extension LocationProcessor {
    private func appendVerdict(
        _ result: VerdictResult, _ index: Int, _ driver: Int, _ record: InputRecord, _ receipt: Receipt,
        _ event: EventID, into outputs: inout OutputBatch
    ) {
        outputs.begin(topic: Topic.verdicts, event: event, timestamp: receipt.datedAt, key: record.key)
        outputs.writeValue {
            VerdictWriter.write(
                event: event, driverID: record.key, raw: reader.fixes[index], result: result,
                receivedAt: receipt.at, into: &$0)
        }
        outputs.writeHeader(RecordHeader.state) {
            VerdictState(
                chunk: result.completedTrackChunk, anomaly: result.anomaly, candidate: streamTime.candidate,
                refutations: streamTime.newRefutations, isUnknownReceipt: !receipt.isUsable, isAhead: receipt.isAhead
            ).write(states[driver], into: &$0)
        }
    }

    private func appendWarning(
        _ warning: LocationWarning, _ risk: Double, _ driver: ByteSlice, _ receipt: Receipt, _ event: EventID,
        into outputs: inout OutputBatch
    ) {
        counts[Self.counter(of: warning)] += 1
        outputs.begin(topic: Topic.warnings, event: event, timestamp: receipt.datedAt, key: driver)
        outputs.writeValue {
            WarningWriter.write(event: event, driverID: driver, warning: warning, risk: risk, at: receipt.at, into: &$0)
        }
    }

    private func appendChunk(
        _ chunk: UInt64, driver: ByteSlice, at time: Timestamp, _ event: EventID, into outputs: inout OutputBatch
    ) {
        outputs.begin(topic: Topic.tracks, event: event, timestamp: time, key: driver)
        outputs.writeValue { TrackChunkRecord.write(event: event, driverID: driver, chunk: chunk, into: &$0) }
        outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: chunk) }
    }

    private func appendDeadLetter(
        _ record: InputRecord, _ event: EventID, _ reason: DeadLetterReason, _ field: String,
        into outputs: inout OutputBatch
    ) {
        counts[Self.counter(of: reason)] += 1
        deadLetter.write(record, event: event, reason: reason, field: field, format: .rawLocations, into: &outputs)
    }

    /// Writes one dead letter for all unreadable fixes of a batch.
    private func appendDeadLetter(ofBatch record: InputRecord, _ event: EventID, into outputs: inout OutputBatch) {
        guard let reason = reader.fixes.lazy.compactMap(\.unreadable).first else { return }
        counts[Self.counter(of: reason)] += 1
        counts[Self.unreadableFixSlot] += deadLetter.write(record, event: event, batch: reader.fixes, into: &outputs)
    }
}
