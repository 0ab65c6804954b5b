/// How finely a coordinate was written, by what it looks like.
extension GridPoint {
    /// A grid that devices round coordinates to, coarser than that of ``GridPoint``.
    ///
    /// `numerator / denominator` ten-millionths of a degree lie between its lines.
    private struct Grid {
        let numerator: Int64
        let denominator: Int64
        /// How far a coordinate may lie off a line, in ten-millionths of a degree, times the denominator: two thirds of
        /// one cover rounding to them, and nearly all of cutting off.
        let tolerance: Int64

        @inline(__always)
        func holds(_ value: Int32) -> Bool {
            let rest = (Int64(value) * denominator).magnitude % UInt64(numerator)
            return min(Int64(rest), numerator - Int64(rest)) <= tolerance
        }
    }

    /// Six digits of a degree and fewer (0.11 m of latitude).
    private static let sixDigits = Grid(numerator: 10, denominator: 1, tolerance: 0)
    /// Four digits of a minute and fewer, as NMEA 0183 writes them (0.19 m of latitude).
    private static let minutes = Grid(numerator: 50, denominator: 3, tolerance: 2)
    /// Two digits of a second and fewer (0.31 m of latitude).
    private static let seconds = Grid(numerator: 250, denominator: 9, tolerance: 6)
    /// Lines of a grid that are nearer to each other than those of ``sixDigits`` tell nothing.
    private static let leastSpacing = 10.0

    /// Whether both coordinates lie on a grid that devices round to: digits of degrees, minutes or seconds, or numbers
    /// of single precision.
    ///
    /// Of points that were not rounded, some 2 % do by chance (1 % for six digits, 1 % for minutes, 0.3 % for seconds,
    /// 0.2 to 0.6 % for single precision), and two in a row in one case of 2,000.
    var isRounded: Bool {
        lies(on: Self.sixDigits) || lies(on: Self.minutes) || lies(on: Self.seconds) || isOfSinglePrecision
    }

    @inline(__always)
    private func lies(on grid: Grid) -> Bool { grid.holds(latitude) && grid.holds(longitude) }

    /// Whether the coordinates are numbers with 24 binary digits; near 0 degrees such a number may be any.
    private var isOfSinglePrecision: Bool {
        let north = Self.isOfSinglePrecision(latitude)
        let east = Self.isOfSinglePrecision(longitude)
        return north != false && east != false && (north != nil || east != nil)
    }

    /// `nil` where such numbers are as close as those of the grid.
    private static func isOfSinglePrecision(_ value: Int32) -> Bool? {
        let single = Float(Double(value) / 1e7)
        guard Double(single.ulp) * 1e7 >= leastSpacing else { return nil }
        return abs(Double(single) * 1e7 - Double(value)) <= 1
    }
}
