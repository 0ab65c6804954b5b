/// Rate at which a value changes on this device, and the changes expected since its last change.
///
/// Receiver models differ more from each other than forgeries differ from receivers: some repeat an accuracy for
/// minutes, others never twice. Signals are therefore compared with earlier behaviour of the same device.
struct Habit: Sendable, Equatable, BitwiseCopyable {
    /// Number of fixes over which the rate is averaged.
    private static let meanFixes: UInt8 = 32

    /// Share of fixes at which the value changes, in 1/255, as a running mean.
    var rate: UInt8 = 128
    /// Changes expected since the last change, in 1/8; saturates.
    var expectedChanges: UInt8 = 0

    /// Units per change: fine enough for rates that change by 1/32, and up to 31 changes fit into a byte.
    static let eighthsPerChange = 8.0

    @inline(__always) static func changes(ofEighths eighths: Int) -> Double { Double(eighths) / eighthsPerChange }

    /// Updates the rate with one fix, after `fixes` learned fixes; expected changes accumulate once `isLearned`.
    ///
    /// Expected changes are rounded down, so that values that hardly ever change accumulate none.
    @inline(__always) mutating func observe(hasChanged: Bool, after fixes: UInt8, isLearned: Bool) {
        let share = fixes < Self.meanFixes - 2 ? fixes + 2 : Self.meanFixes
        if hasChanged {
            expectedChanges = 0
            rate += (255 - rate) / share + (rate < 255 ? 1 : 0)
        } else {
            if isLearned { expectedChanges = UInt8(min(255, Int(expectedChanges) + Int(eighths))) }
            rate -= rate / share + (rate > 0 ? 1 : 0)
        }
    }

    /// Rate at the last change, in 1/255, or slightly less.
    ///
    /// Since then, each fix has lowered ``rate`` by rate/32 and raised ``expectedChanges`` by rate × 8/255, so the
    /// sum is nearly constant. During the first fixes the rate falls faster, and this value is too low.
    @inline(__always) var usualRate: Int { Int(rate) + Int(expectedChanges) }

    /// Changes expected of one fix, in 1/8.
    @inline(__always) var eighths: UInt8 { UInt8(Int(rate) * 8 / 255) }
}
