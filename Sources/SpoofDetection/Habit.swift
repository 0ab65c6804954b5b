/// How often something changes from fix to fix with this device, and how many changes are overdue.
///
/// What a receiver does differs from model to model by more than forgeries differ from receivers: some repeat an
/// accuracy for minutes, others never twice. So a signal is measured against what the same device did before.
struct Habit: Sendable, Equatable, BitwiseCopyable {
    /// Fixes over which the running mean goes.
    private static let meanFixes: UInt8 = 32

    /// Share of the fixes at which it changes, in 255ths: a running mean.
    var rate: UInt8 = 128
    /// Changes that the rate would have had since the last one, in eighths; saturates.
    var overdue: UInt8 = 0

    /// Eighths are fine enough for rates that change by a 32nd, and count to 31 changes in a byte.
    static let eighthsPerChange = 8.0

    @inline(__always)
    static func changes(ofEighths eighths: Int) -> Double { Double(eighths) / eighthsPerChange }

    /// Takes in one more fix, after `fixes` that were learnt from; changes become overdue only once the habit is learnt.
    ///
    /// The first fixes count as if there had been one before them that half changed; a field that a device sends later
    /// begins with a half, and learns over ``meanFixes``. Rounded down, so that what hardly ever changes is never
    /// overdue.
    @inline(__always)
    mutating func observe(hasChanged: Bool, after fixes: UInt8, isLearnt: Bool) {
        let share = fixes < Self.meanFixes - 2 ? fixes + 2 : Self.meanFixes
        if hasChanged {
            overdue = 0
            rate += (255 - rate) / share + (rate < 255 ? 1 : 0)
        } else {
            if isLearnt { overdue = UInt8(min(255, Int(overdue) + Int(eighths))) }
            rate -= rate / share + (rate > 0 ? 1 : 0)
        }
    }

    /// The rate when it last changed, in 255ths, or a little under.
    ///
    /// Since then the rate has fallen by a 32nd of itself at each fix, which became overdue as eighths of a change, a
    /// 256th of the whole. In the first fixes, in which the rate falls faster, it is well under.
    @inline(__always)
    var usualRate: Int { Int(rate) + Int(overdue) }

    /// Changes to be expected of one fix, in eighths.
    @inline(__always)
    var eighths: UInt8 { UInt8(Int(rate) * 8 / 255) }
}
