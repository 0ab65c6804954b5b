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

        var spacing: Double { Double(numerator) / Double(denominator) }

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
    package var isRounded: Bool {
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

    /// Grids that devices round to, from the coarsest to the finest that ``commonSpacing(_:_:)`` tells apart.
    private static let knownGrids: [Grid] = {
        var grids: [Grid] = []
        for exponent in 1...7 {
            let power = (0..<exponent).reduce(Int64(1)) { product, _ in product * 10 }
            for digit: Int64 in [1, 2, 5] {
                // Degrees; minutes, of which one has 10⁶ / 6 units of the numerator; seconds.
                grids.append(Grid(numerator: digit * power, denominator: 1, tolerance: 0))
                grids.append(Grid(numerator: digit * power, denominator: 6, tolerance: 4))
                grids.append(Grid(numerator: digit * power, denominator: 36, tolerance: 24))
            }
        }
        // Integers of 20 to 27 bits for the whole turn.
        for bits: Int64 in 20...27 {
            let denominator = Int64(1) << bits
            grids.append(Grid(numerator: 3_600_000_000, denominator: denominator, tolerance: denominator * 2 / 3))
        }
        // Finer ones hold too many values by chance.
        return grids.filter { $0.spacing >= leastSpacing }.sorted { $0.spacing > $1.spacing }
    }()

    /// Finds the coarsest known grid that both values of one axis lie on, as its spacing in ten-millionths of a degree.
    ///
    /// A value of exactly 0 lies on every grid, so an axis that stays at 0 counts as the coarsest. 1 where there is none.
    package static func commonSpacing(_ one: Int32, _ other: Int32) -> Double {
        if one == 0, other == 0 { return knownGrids.first?.spacing ?? 1 }
        let known = knownGrids.first { $0.holds(one) && $0.holds(other) }?.spacing ?? 1
        guard isOfSinglePrecision(one) == true, isOfSinglePrecision(other) == true else { return known }
        return max(known, Double(Float(Double(one) / 1e7).ulp) * 1e7)
    }
}
