import Support

/// Window that smooths a partition's fixes with later fixes (fixed lag); not thread-safe.
///
/// Stream time is divided into periods. At the end of a period, the fixes received before the period are smoothed with
/// all fixes received up to its end, and emitted in order. A window that starts at ``resumeOffset`` emits identical
/// fixes. If stream time jumps, or a period has over `maximumFixes` fixes, fewer later fixes are used.
package final class FixedLagWindow<Label> {
    private struct Entry {
        let fix: FilteredFix
        let label: Label
        let driver: Int32
    }

    /// State restored by ``rollback()``.
    private struct Position {
        /// Number of emitted entries, kept until ``commit()``.
        var emitted = 0
        /// Number of entries to emit by the end of the current period, including emitted entries.
        var due = 0
        /// Offset to resume from, at or before the first entry that was not emitted.
        var startOffset: Int64?
        /// Offset at or before the first entry after ``due``.
        var dueOffset: Int64 = 0
        var streamTime = Timestamp(milliseconds: 0)
        var periodEnd = Timestamp(milliseconds: 0)
    }

    private let periodMilliseconds: Int64
    private let maximumFixes: Int
    private let filter: KinematicFilter
    private var drivers = KeyTable()
    private var counts: [Int32] = []
    private var entries: [Entry] = []
    private var position = Position()
    private var committed = Position()
    private var committedCount = 0
    /// Per driver, the estimate of the entry after the current entry, during a pass.
    private var later: [BackwardEstimate?] = []
    private var smoothed: [SmoothedFix] = []

    /// Creates a window that emits each fix one to two periods after its arrival.
    ///
    /// A period ends early if it has more than `maximumFixes` fixes, of 140 bytes each.
    package init(
        periodSeconds: Int = 15, maximumFixes: Int = 131_072, settings: SmoothingSettings = SmoothingSettings()
    ) {
        precondition(periodSeconds > 0 && maximumFixes > 0, "periodSeconds and maximumFixes must be positive.")
        periodMilliseconds = Int64(periodSeconds) * 1000
        self.maximumFixes = maximumFixes
        filter = KinematicFilter(settings: settings)
    }

    /// Offset from which a new window must read to emit the remaining fixes; `nil` before the first record.
    package var resumeOffset: Int64? { position.startOffset }

    /// Advances to a record, with or without a fix, and emits the fixes that are due.
    ///
    /// Called before the record's fix is appended. The driver's bytes passed to `emit` are valid during its call.
    package func advance(
        to recordTime: Timestamp, offset: Int64, _ emit: (_ driver: ByteSlice, Label, SmoothedFix) throws -> Void
    ) rethrows {
        guard position.startOffset != nil else {
            (position.startOffset, position.dueOffset) = (offset, offset)
            position.streamTime = recordTime
            position.periodEnd = end(ofPeriodAt: recordTime)
            return
        }
        position.streamTime = max(position.streamTime, recordTime)
        guard position.streamTime >= position.periodEnd || entries.count - position.due >= maximumFixes else {
            return
        }
        let leaps = position.streamTime.milliseconds - position.periodEnd.milliseconds >= periodMilliseconds
        try pass(offset, emit)
        if leaps { try pass(offset, emit) }
        position.periodEnd = end(ofPeriodAt: position.streamTime)
    }

    /// Adds the fix of the record passed to the last ``advance(to:offset:_:)``.
    package func append(_ fix: FilteredFix, of driver: ByteSlice, label: Label) {
        let index = drivers.insert(driver).index
        while counts.count <= index {
            counts.append(0)
            later.append(nil)
        }
        counts[index] += 1
        entries.append(Entry(fix: fix, label: label, driver: Int32(index)))
    }

    /// Discards the emitted fixes once they are written.
    package func commit() {
        for entry in entries[..<position.emitted] { releaseDriver(of: entry) }
        entries.removeFirst(position.emitted)
        position.due -= position.emitted
        position.emitted = 0
        committed = position
        committedCount = entries.count
    }

    /// Reverts everything since the last ``commit()``, before the same records are read again.
    package func rollback() {
        for entry in entries[committedCount...] { releaseDriver(of: entry) }
        entries.removeLast(entries.count - committedCount)
        position = committed
    }

    private func end(ofPeriodAt time: Timestamp) -> Timestamp {
        let (whole, rest) = time.milliseconds.quotientAndRemainder(dividingBy: periodMilliseconds)
        return Timestamp(milliseconds: (rest < 0 ? whole : whole + 1) * periodMilliseconds)
    }

    private func releaseDriver(of entry: Entry) {
        let driver = Int(entry.driver)
        counts[driver] -= 1
        if counts[driver] == 0 { drivers.remove(at: driver) }
    }

    /// Emits the due entries; the entries after them are due next.
    private func pass(_ offset: Int64, _ emit: (ByteSlice, Label, SmoothedFix) throws -> Void) rethrows {
        let due = position.emitted..<position.due
        position.emitted = due.upperBound
        position.due = entries.count
        position.startOffset = position.dueOffset
        position.dueOffset = offset
        guard !due.isEmpty else { return }
        smooth(due)
        for (entry, fix) in zip(entries[due], smoothed) {
            try emit(drivers.key(at: Int(entry.driver)), entry.label, fix)
        }
    }

    /// Smooths all entries backwards, per driver, and stores the results of the due entries.
    private func smooth(_ due: Range<Int>) {
        for index in later.indices { later[index] = nil }
        smoothed.removeAll(keepingCapacity: true)
        for index in (due.lowerBound..<entries.count).reversed() {
            let entry = entries[index]
            let driver = Int(entry.driver)
            if later[driver] == nil {
                later[driver] = BackwardEstimate(entry.fix)
            } else {
                later[driver]?.step(to: entry.fix, filter)
            }
            guard due.contains(index), let estimate = later[driver] else { continue }
            smoothed.append(estimate.smoothedFix(radiusPerSigma: filter.settings.accuracyRadiusPerSigma))
        }
        smoothed.reverse()
    }
}
