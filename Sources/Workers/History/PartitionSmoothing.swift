import Codec
import Domain
import Processing
import Support

/// Identity of a smoothed fix.
package struct SmoothedLabel {
    package var event: EventID
    package var receivedAt: Timestamp
    package var fixedAt: Timestamp
    /// Whether the fix has a row in `location_history`; fixes without one only help to smooth their neighbours.
    package var isKept = true
}

/// Smoother of a `driver.locations` partition, which uses later fixes; see ``FixedLagWindow``.
///
/// Changes are committed or rolled back together with the rows of a write. Confined to one thread.
package final class PartitionSmoothing {
    private struct Position {
        /// Watermark that drops duplicate fixes.
        var watermark: Watermark
        /// Event of the last emitted fix, or the last event before smoothing began.
        var smoothed: EventID?
        /// Offset after the last record; `nil` before the first.
        var next: Int64?
        /// Stored next offset after the last write; `nil` before the first.
        var stored: Int64?
    }

    private let window = FixedLagWindow<SmoothedLabel>()
    private var position: Position
    private var committed: Position

    /// - Parameter smoothed: the last event that is not smoothed again.
    package init(after smoothed: EventID?) {
        position = Position(watermark: Watermark(raw: smoothed), smoothed: smoothed)
        committed = position
    }

    /// Offset from which a restart reads all fixes that are not smoothed yet; `nil` before the first record.
    package var resumeOffset: Int64? { window.resumeOffset }

    package var smoothed: EventID? { position.smoothed }

    /// Returns whether a batch continues the records processed so far without a gap.
    func isFollowed(by batch: PartitionBatch) -> Bool {
        guard let next = position.next, let stored = position.stored else { return false }
        return stored == batch.from && next <= batch.records.first.map(\.offset) ?? next
    }

    /// Advances to a record of the partition, readable or not, and emits the fixes whose lag has passed.
    package func advance(to record: InputRecord, _ emit: (_ driver: ByteSlice, SmoothedLabel, SmoothedFix) -> Void) {
        window.advance(to: record.timestamp, offset: record.offset) { driver, label, fix in
            position.smoothed = label.event
            emit(driver, label, fix)
        }
        position.next = record.offset + 1
    }

    /// Adds the fix of the last record, if it has a position and is new.
    /// - Returns: the label of the fix if it was added.
    @discardableResult
    package func append(_ verdict: VerdictRecord, of record: InputRecord, isKept: Bool) -> SmoothedLabel? {
        let event = record.event ?? verdict.eventID
        guard position.watermark.advance(to: event), let estimate = verdict.estimate,
            let state = DriverState(decoding: VerdictState.split(record.state).state.buffer)
        else { return nil }
        let fix = FilteredFix(state.motion, accuracyMeters: estimate.accuracyMeters, fixedAt: verdict.fixedAt)
        let label = SmoothedLabel(
            event: event, receivedAt: verdict.receivedAt, fixedAt: verdict.fixedAt, isKept: isKept)
        window.append(fix, of: verdict.driverID, label: label)
        return label
    }

    /// Commits the changes; `stored` is the next offset in `sink_progress`.
    package func commit(stored: Int64 = 0) {
        position.stored = stored
        committed = position
        window.commit()
    }

    func rollback() {
        position = committed
        window.rollback()
    }
}
