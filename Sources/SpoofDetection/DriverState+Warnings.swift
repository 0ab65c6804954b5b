import Model
import Support

extension DriverState.Warnings {
    /// Length of a window, in milliseconds: a code, or its more severe action, is over after one to two windows without
    /// it.
    private static let windowMilliseconds: Int64 = 30_000
    private static let actionBits: UInt32 = 3

    /// Lets codes and actions be over that were not raised lately, and tells which codes are.
    @discardableResult
    @inline(__always)
    mutating func fade(until now: Timestamp) -> EndedWarnings {
        guard recent != 0 || older != 0 else { return .none }
        let current = Self.number(of: now)
        guard current != window else { return .none }
        let before = self
        proceed(to: current)
        return EndedWarnings(codes: before.open & ~open, toldActions: before.toldActions)
    }

    /// Lets all codes be over, and tells which they were.
    mutating func end() -> EndedWarnings {
        let ended = EndedWarnings(codes: open, toldActions: toldActions)
        self = DriverState.Warnings()
        return ended
    }

    /// The codes that go on, as bits of ``Reasons``.
    @inline(__always)
    var open: UInt16 { recent | older }

    private mutating func proceed(to current: UInt8) {
        let follows = current == window &+ 1
        older = follows ? recent : 0
        olderActions = follows ? recentActions : 0
        recent = 0
        recentActions = 0
        window = current
        if older == 0 { self = DriverState.Warnings() }
    }

    /// Notes that `reason` holds now with this action, and tells whether that is news.
    ///
    /// Several signals of one code make one state, whose action is the most severe of those that go on: it is news when
    /// the code starts, when the action gets more severe, and when it gets less so because the more severe one is over.
    mutating func raise(_ reason: Reasons, _ action: LocationWarning.Action, at now: Timestamp) -> Bool {
        precondition(action != .resolved, "A code is raised with an action, and over when it is not raised any more.")
        let told = told(reason)
        if recent == 0, older == 0 { window = Self.number(of: now) }
        let (bit, shift) = Self.place(of: reason)
        let raised = UInt32(action.rawValue)
        let highest = recent & bit == 0 ? raised : max(raised, recentActions >> shift & Self.actionBits)
        recent |= bit
        recentActions = recentActions & ~(Self.actionBits << shift) | highest << shift
        let lasting = older & bit == 0 ? highest : max(highest, olderActions >> shift & Self.actionBits)
        // What a less severe signal shows is told of by the more severe one.
        guard raised == lasting, told != action else { return false }
        toldActions = toldActions & ~(Self.actionBits << shift) | raised << shift
        return true
    }

    /// The action that was warned of last under a code that goes on; `nil` for one that does not.
    func told(_ reason: Reasons) -> LocationWarning.Action? {
        let (bit, shift) = Self.place(of: reason)
        guard open & bit != 0 else { return nil }
        return LocationWarning.Action(rawValue: UInt8(toldActions >> shift & Self.actionBits))
    }

    private static func number(of now: Timestamp) -> UInt8 {
        UInt8(truncatingIfNeeded: now.milliseconds / windowMilliseconds)
    }

    @inline(__always)
    private static func place(of reason: Reasons) -> (bit: UInt16, shift: UInt32) {
        let index = reason.rawValue.trailingZeroBitCount
        precondition(index < 16, "A warning has exactly one code, and there are sixteen at most.")
        return (1 << UInt16(index), UInt32(index * 2))
    }
}
