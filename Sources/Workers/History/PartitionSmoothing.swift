import Codec
import Model
import Processing
import Smoothing
import SpoofDetection
import Support

/// Smooths the fixes of a partition of verdicts with later ones; see ``FixedLagWindow``.
///
/// It is as far as the rows that are written: what a failed write took up is taken back. Belongs to one thread.
package final class PartitionSmoothing {
    private struct Position {
        /// The last event taken; what does not advance it was there before.
        var clock: Watermark
        /// The last event emitted, or the last one before smoothing began.
        var smoothed: EventID?
        /// The offset after the last record taken; `nil` before the first.
        var next: Int64?
        /// The store's clock after the last write; `nil` before the first.
        var stored: Int64?
    }

    private let window = FixedLagWindow<SmoothedLabel>()
    private var position: Position
    private var committed: Position

    /// - Parameter smoothed: the last event that is not smoothed any more.
    package init(after smoothed: EventID?) {
        position = Position(clock: Watermark(raw: smoothed), smoothed: smoothed)
        committed = position
    }

    /// From where a partition is read so that nothing is missing that is not smoothed yet; `nil` before the first record.
    package var resumeOffset: Int64? { window.resumeOffset }

    /// The last event that is smoothed.
    package var smoothed: EventID? { position.smoothed }

    /// Whether a batch follows what was taken, with nothing between.
    func isFollowed(by batch: PartitionBatch) -> Bool {
        guard let next = position.next, let stored = position.stored else { return false }
        return stored == batch.from && next <= batch.records.first.map(\.offset) ?? next
    }

    /// Takes up a record of the partition, whatever it holds: emits the fixes that have waited long enough.
    package func advance(to record: InputRecord, _ emit: (_ driver: ByteSlice, SmoothedLabel, SmoothedFix) -> Void) {
        window.advance(to: record.timestamp, offset: record.offset) { driver, label, fix in
            position.smoothed = label.event
            emit(driver, label, fix)
        }
        position.next = record.offset + 1
    }

    /// Adds the fix of the record that was taken up last, if it has a position and was not there before.
    /// - Returns: the fix's event and time, if it was added.
    @discardableResult
    package func append(_ verdict: VerdictRecord, of record: InputRecord, isKept: Bool) -> SmoothedLabel? {
        let event = record.clock ?? verdict.eventID
        guard position.clock.advance(to: event), let estimate = verdict.estimate,
            let state = DriverState(decoding: VerdictState.split(record.state).state.buffer)
        else { return nil }
        let fix = FilteredFix(state.motion, accuracyMeters: estimate.accuracyMeters, fixedAt: verdict.fixedAt)
        let label = SmoothedLabel(
            event: event, receivedAt: verdict.receivedAt, fixedAt: verdict.fixedAt, isKept: isKept)
        window.append(fix, of: verdict.driverID, label: label)
        return label
    }

    /// What was taken is written, and the store's clock stands at `stored`.
    package func commit(stored: Int64 = 0) {
        position.stored = stored
        committed = position
        window.commit()
    }

    /// Takes back what was taken since the last commit.
    func rollback() {
        position = committed
        window.rollback()
    }
}
