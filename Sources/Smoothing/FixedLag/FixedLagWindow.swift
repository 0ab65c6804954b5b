import Support

/// The fixes of a partition that wait for later ones, with which they are smoothed.
///
/// Time is the stream time of the partition, cut at the multiples of a period. When a multiple is passed, the fixes that
/// had come before the previous multiple are smoothed with all that has come since, and emitted in their order: each is
/// smoothed with the fixes of one to two periods after it. Nothing older is needed, so a window that begins at
/// ``resumeOffset`` emits the same fixes, bit for bit, as one that never stopped.
///
/// Where stream time leaps over more than a period, fixes have fewer later ones to be smoothed with, or none. So they have
/// where so many come that the window would grow beyond its bounds, as when recordings are sent at full speed: a period
/// is over after `maximumFixes` fixes, too.
///
/// Belongs to one thread.
package final class FixedLagWindow<Label> {
    private struct Entry {
        let fix: FilteredFix
        let label: Label
        let driver: Int32
    }

    /// What a failed transaction takes back.
    private struct Position {
        /// Entries that were emitted; they stay until the transaction is complete.
        var emitted = 0
        /// Entries that the next multiple emits, those emitted included.
        var isDue = 0
        /// The offset at which the entries begin that were not emitted.
        var startOffset: Int64?
        /// The offset at which the entries after ``isDue`` begin.
        var dueOffset: Int64 = 0
        var streamTime = Timestamp(milliseconds: 0)
        var nextMultiple = Timestamp(milliseconds: 0)
    }

    private let periodMilliseconds: Int64
    private let maximumFixes: Int
    private let filter: KinematicFilter
    private var drivers = KeyTable()
    /// By driver: how many entries there are.
    private var counts: [Int32] = []
    private var entries: [Entry] = []
    private var position = Position()
    private var committed = Position()
    private var committedCount = 0
    /// By driver: the estimate of the entry behind the one at hand, during a pass.
    private var later: [BackwardEstimate?] = []
    private var smoothed: [SmoothedFix] = []

    /// A window that emits fixes one to two periods of `periodSeconds` after they came.
    ///
    /// A period has at most `maximumFixes` fixes. The window holds twice as many, of about 140 bytes each.
    package init(
        periodSeconds: Int = 15, maximumFixes: Int = 131_072, settings: SmoothingSettings = SmoothingSettings()
    ) {
        precondition(periodSeconds > 0 && maximumFixes > 0, "A period lasts a second at least, and has fixes.")
        periodMilliseconds = Int64(periodSeconds) * 1000
        self.maximumFixes = maximumFixes
        filter = KinematicFilter(settings: settings)
    }

    /// From where the partition must be read again by a window that is to emit what this one has not; `nil` before the
    /// first record.
    package var resumeOffset: Int64? { position.startOffset }

    /// Takes up a record of the partition, before its fix is appended: emits what has waited long enough.
    ///
    /// Every record counts, also those without a fix. Driver and label are as they were appended; the driver's bytes
    /// are valid during the call.
    package func advance(
        to recordTime: Timestamp, offset: Int64, _ emit: (_ driver: ByteSlice, Label, SmoothedFix) throws -> Void
    ) rethrows {
        guard position.startOffset != nil else {
            (position.startOffset, position.dueOffset) = (offset, offset)
            position.streamTime = recordTime
            position.nextMultiple = multiple(after: recordTime)
            return
        }
        position.streamTime = max(position.streamTime, recordTime)
        guard position.streamTime >= position.nextMultiple || entries.count - position.isDue >= maximumFixes else {
            return
        }
        let leaps = position.streamTime.milliseconds - position.nextMultiple.milliseconds >= periodMilliseconds
        try pass(offset, emit)
        if leaps { try pass(offset, emit) }
        position.nextMultiple = multiple(after: position.streamTime)
    }

    /// Adds the fix of the record that was taken up last.
    package func append(_ fix: FilteredFix, of driver: ByteSlice, label: Label) {
        let index = drivers.insert(driver).index
        while counts.count <= index {
            counts.append(0)
            later.append(nil)
        }
        counts[index] += 1
        entries.append(Entry(fix: fix, label: label, driver: Int32(index)))
    }

    /// What was emitted is written: forgets it.
    package func commit() {
        for entry in entries[..<position.emitted] { forget(entry) }
        entries.removeFirst(position.emitted)
        position.isDue -= position.emitted
        position.emitted = 0
        committed = position
        committedCount = entries.count
    }

    /// Takes back everything since the last ``commit()``: the same records come again.
    package func rollback() {
        for entry in entries[committedCount...] { forget(entry) }
        entries.removeLast(entries.count - committedCount)
        position = committed
    }

    private func multiple(after time: Timestamp) -> Timestamp {
        let (whole, rest) = time.milliseconds.quotientAndRemainder(dividingBy: periodMilliseconds)
        return Timestamp(milliseconds: (rest < 0 ? whole : whole + 1) * periodMilliseconds)
    }

    private func forget(_ entry: Entry) {
        let driver = Int(entry.driver)
        counts[driver] -= 1
        if counts[driver] == 0 { drivers.remove(at: driver) }
    }

    /// Emits the entries that are due; those after them are due next.
    private func pass(_ offset: Int64, _ emit: (ByteSlice, Label, SmoothedFix) throws -> Void) rethrows {
        let due = position.emitted..<position.isDue
        position.emitted = due.upperBound
        position.isDue = entries.count
        position.startOffset = position.dueOffset
        position.dueOffset = offset
        guard !due.isEmpty else { return }
        smooth(due)
        for (entry, fix) in zip(entries[due], smoothed) {
            try emit(drivers.key(at: Int(entry.driver)), entry.label, fix)
        }
    }

    /// Goes back through all entries, driver by driver, and keeps what becomes of those that are due.
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
