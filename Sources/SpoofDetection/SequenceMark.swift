import Model

/// Identifies a fix that is sent again under its number, by second and place, in 16 bits.
///
/// What returns from a phone's store differs in the last digits: coordinates are rounded or cut, and milliseconds may be
/// missing. A mark therefore matches one of the same second, or the next, in the same cell or one beside it. Cells are
/// 0.001 degrees wide, as coordinates have three decimals at least.
struct SequenceMark: Sendable, Equatable, BitwiseCopyable {
    /// Seconds modulo 62 and plus 2 (6 bits; 1 without a device time), and rows and columns of cells modulo 32 (5 each).
    let bits: UInt16

    private static let seconds: Int64 = 62
    private static let cellsPerDegree = 1000.0

    /// `bits`: as they were kept; 0 where no fix was seen.
    init(bits: UInt16) { self.bits = bits }

    @inline(__always)
    init(of fix: Fix) {
        var second: UInt16 = 1
        if let milliseconds = fix.deviceAt?.milliseconds {
            let whole = (milliseconds >= 0 ? milliseconds : milliseconds &- 999) / 1000 % Self.seconds
            second = UInt16(truncatingIfNeeded: whole < 0 ? whole + Self.seconds : whole) + 2
        }
        let row = Self.cell(fix.coordinate.latitude + 90)
        let column = Self.cell(fix.coordinate.longitude + 180)
        bits = second << 10 | row << 5 | column
    }

    /// Whether there was a fix.
    @inline(__always)
    var isSeen: Bool { bits != 0 }

    /// Whether `other` is the same fix, but for the last digits of its time and place.
    func isRepeated(by other: SequenceMark) -> Bool {
        let (first, second) = (Int(bits >> 10), Int(other.bits >> 10))
        guard first > 1, second > 1 else { return first == second && isNear(other) }
        let step = abs(first - second)
        return min(step, Int(Self.seconds) - step) <= 1 && isNear(other)
    }

    private func isNear(_ other: SequenceMark) -> Bool {
        Self.isNear(bits >> 5, other.bits >> 5) && Self.isNear(bits, other.bits)
    }

    /// Whether two numbers modulo 32 differ by one at most.
    private static func isNear(_ one: UInt16, _ other: UInt16) -> Bool { (one &- other &+ 1) & 31 <= 2 }

    /// An invalid place, which is rejected elsewhere, is in the first cell.
    @inline(__always)
    private static func cell(_ degrees: Double) -> UInt16 {
        degrees >= 0 && degrees <= 360 ? UInt16(truncatingIfNeeded: Int64(degrees * cellsPerDegree) & 31) : 0
    }
}
