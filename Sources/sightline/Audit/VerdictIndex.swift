import Codec
import Model
import Support

/// What the verdicts of a partition allow to say about them later, 24 bytes apiece.
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
        return (value & ~Self.shownBit == Self.number(of: driver), value & Self.shownBit != 0)
    }

    /// Whether a verdict's position may be shown to riders; `nil` when there is none.
    func isShown(_ event: EventID) -> Bool? { table[event].map { $0 & Self.shownBit != 0 } }

    /// Hands over the verdicts that riders may see from the verdict numbered `start` on, up to `last`, each with the
    /// number that stands for its driver.
    ///
    /// - Returns: the number of the next verdict.
    func visitShown(from start: Int, through last: EventID, _ body: (EventID, UInt64) -> Void) -> Int {
        table.visit(from: start, through: last) { event, value in
            if value & Self.shownBit != 0 { body(event, value & ~Self.shownBit) }
        }
    }

    /// The number that stands for a driver.
    static func number(of driver: String) -> UInt64 { ByteSlice.withBytes(of: driver) { $0.stableHash } & ~shownBit }

    private static func isShown(_ verdict: borrowing VerdictRecord) -> Bool {
        let reasons = verdict.reasons
        return verdict.estimate != nil && !reasons.contains(.flagged)
    }
}
