/// 16-bit mark of a fix's second and position, which shows whether a fix with the same sequence number repeats it.
///
/// Fixes from a phone's store differ in their last digits, so a mark matches a mark of the same or an adjacent second,
/// in the same or an adjacent cell of 0.001 degrees.
struct SequenceMark: Sendable, Equatable, BitwiseCopyable {
    /// Seconds modulo 62, plus 2 (6 bits; 1 if missing), row and column of the cell modulo 32 (5 bits each).
    let bits: UInt16

    private static let seconds: Int64 = 62
    private static let cellsPerDegree = 1000.0

    /// Creates a mark from stored bits; 0 if no fix was seen.
    init(bits: UInt16) { self.bits = bits }

    @inline(__always) init(of fix: Fix) {
        var second: UInt16 = 1
        if let milliseconds = fix.deviceAt?.milliseconds {
            let whole = (milliseconds >= 0 ? milliseconds : milliseconds &- 999) / 1000 % Self.seconds
            second = UInt16(truncatingIfNeeded: whole < 0 ? whole + Self.seconds : whole) + 2
        }
        let row = Self.cell(fix.coordinate.latitude + 90)
        let column = Self.cell(fix.coordinate.longitude + 180)
        bits = second << 10 | row << 5 | column
    }

    @inline(__always) var isSeen: Bool { bits != 0 }

    /// Returns whether `other` is the same fix, apart from the last digits of its time and position.
    func isRepeated(by other: SequenceMark) -> Bool {
        let (first, second) = (Int(bits >> 10), Int(other.bits >> 10))
        guard first > 1, second > 1 else { return first == second && isNear(other) }
        let step = abs(first - second)
        return min(step, Int(Self.seconds) - step) <= 1 && isNear(other)
    }

    private func isNear(_ other: SequenceMark) -> Bool {
        Self.isNear(bits >> 5, other.bits >> 5) && Self.isNear(bits, other.bits)
    }

    /// Returns whether two numbers modulo 32 differ by at most one.
    private static func isNear(_ one: UInt16, _ other: UInt16) -> Bool { (one &- other &+ 1) & 31 <= 2 }

    /// Returns the cell modulo 32; 0 for invalid coordinates, which are rejected elsewhere.
    @inline(__always) private static func cell(_ degrees: Double) -> UInt16 {
        degrees >= 0 && degrees <= 360 ? UInt16(truncatingIfNeeded: Int64(degrees * cellsPerDegree) & 31) : 0
    }
}
