import Lanes
import Tracking
import Wire

/// What the verdicts of a lane allow to say about them later, 24 bytes apiece.
struct VerdictIndex {
    private var table = EventTable()
    private static let shownBit: UInt64 = 1

    mutating func append(_ verdict: borrowing VerdictRecord, event: EventID) {
        let driver = verdict.driverID.stableHash & ~Self.shownBit
        table.append(event, driver | (Self.isShown(verdict) ? Self.shownBit : 0))
    }

    /// Whether a verdict is the driver's, and whether its position may be shown to riders; `nil` when there is none.
    func find(_ event: EventID, driver: String) -> (isDriver: Bool, isShown: Bool)? {
        guard let value = table[event] else { return nil }
        let hash = ByteSlice.withBytes(of: driver) { $0.stableHash }
        return (value & ~Self.shownBit == hash & ~Self.shownBit, value & Self.shownBit != 0)
    }

    /// Whether a verdict's position may be shown to riders; `nil` when there is none.
    func isShown(_ event: EventID) -> Bool? { table[event].map { $0 & Self.shownBit != 0 } }

    private static func isShown(_ verdict: borrowing VerdictRecord) -> Bool {
        let reasons = verdict.reasons
        return verdict.estimate != nil && !reasons.contains(.flagged)
    }
}
