import Support

extension DriverState.Warnings {
    /// Window length; a code, or its more severe action, expires if it is not raised in one to two windows.
    private static let windowMilliseconds: Int64 = 30_000
    private static let actionBits: UInt32 = 3

    /// Expires codes and actions that were not raised recently; returns the expired codes.
    @discardableResult @inline(__always)
    mutating func expire(until now: Timestamp) -> ExpiredWarnings {
        guard recent != 0 || older != 0 else { return .none }
        let current = Self.number(of: now)
        guard current != window else { return .none }
        let before = self
        advance(to: current)
        return ExpiredWarnings(codes: before.open & ~open, lastActions: before.lastActions)
    }

    mutating func expireAll() -> ExpiredWarnings {
        let ended = ExpiredWarnings(codes: open, lastActions: lastActions)
        self = DriverState.Warnings()
        return ended
    }

    /// Active codes, as bits of ``Reasons``.
    @inline(__always) var open: UInt16 { recent | older }

    private mutating func advance(to current: UInt8) {
        let follows = current == window &+ 1
        older = follows ? recent : 0
        olderActions = follows ? recentActions : 0
        recent = 0
        recentActions = 0
        window = current
        if older == 0 { self = DriverState.Warnings() }
    }

    /// Raises `reason` with this action; returns whether a warning must be sent.
    ///
    /// A warning is sent when the code starts and when its most severe active action changes.
    mutating func raise(_ reason: Reasons, _ action: LocationWarning.Action, at now: Timestamp) -> Bool {
        precondition(action != .resolved, "RESOLVED is not an action of a raised code.")
        let last = lastAction(of: reason)
        if recent == 0, older == 0 { window = Self.number(of: now) }
        let (bit, shift) = Self.bits(of: reason)
        let raised = UInt32(action.rawValue)
        let highest = recent & bit == 0 ? raised : max(raised, recentActions >> shift & Self.actionBits)
        recent |= bit
        recentActions = recentActions & ~(Self.actionBits << shift) | highest << shift
        let lasting = older & bit == 0 ? highest : max(highest, olderActions >> shift & Self.actionBits)
        // A more severe signal of the same code covers this one.
        guard raised == lasting, last != action else { return false }
        lastActions = lastActions & ~(Self.actionBits << shift) | raised << shift
        return true
    }

    /// Returns the action last sent for an active code; `nil` for an inactive code.
    func lastAction(of reason: Reasons) -> LocationWarning.Action? {
        let (bit, shift) = Self.bits(of: reason)
        guard open & bit != 0 else { return nil }
        return LocationWarning.Action(rawValue: UInt8(lastActions >> shift & Self.actionBits))
    }

    private static func number(of now: Timestamp) -> UInt8 {
        UInt8(truncatingIfNeeded: now.milliseconds / windowMilliseconds)
    }

    @inline(__always) private static func bits(of reason: Reasons) -> (bit: UInt16, shift: UInt32) {
        let index = reason.rawValue.trailingZeroBitCount
        precondition(index < 16, "A warning has exactly one of at most 16 codes.")
        return (1 << UInt16(index), UInt32(index * 2))
    }
}

struct ExpiredWarnings {
    /// Expired codes, as bits of ``Reasons``.
    var codes: UInt16
    /// Last sent actions, two bits per code.
    var lastActions: UInt32

    static let none = ExpiredWarnings(codes: 0, lastActions: 0)

    @inline(__always) var isEmpty: Bool { codes == 0 }

    /// One RESOLVED warning per code.
    var warnings: [LocationWarning] {
        (0..<16).compactMap { index in
            guard codes & 1 << UInt16(index) != 0 else { return nil }
            return LocationWarning(
                reason: Reasons(rawValue: 1 << UInt32(index)), action: .resolved,
                previousAction: LocationWarning.Action(rawValue: UInt8(lastActions >> UInt32(2 * index) & 3)))
        }
    }
}
