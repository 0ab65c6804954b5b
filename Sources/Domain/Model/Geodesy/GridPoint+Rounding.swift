/// Detects coordinates that the device rounded.
extension GridPoint {
    /// A grid of rounded coordinates, with a spacing of `numerator / denominator` ten-millionths of a degree.
    private struct Grid {
        let numerator: Int64
        let denominator: Int64
        /// Maximum distance from a grid line, in ten-millionths of a degree times the denominator.
        let tolerance: Int64

        var spacing: Double { Double(numerator) / Double(denominator) }

        @inline(__always) func contains(_ value: Int32) -> Bool {
            let remainder = (Int64(value) * denominator).magnitude % UInt64(numerator)
            return min(Int64(remainder), numerator - Int64(remainder)) <= tolerance
        }
    }

    /// Grid of up to six decimal places of a degree (0.11 m of latitude).
    private static let sixDigits = Grid(numerator: 10, denominator: 1, tolerance: 0)
    /// Grid of up to four decimal places of a minute, as in NMEA 0183 (0.19 m of latitude).
    private static let minutes = Grid(numerator: 50, denominator: 3, tolerance: 2)
    /// Grid of up to two decimal places of a second (0.31 m of latitude).
    private static let seconds = Grid(numerator: 250, denominator: 9, tolerance: 6)
    /// Minimum spacing of a grid, in ten-millionths of a degree; finer grids contain too many points by chance.
    private static let leastSpacing = 10.0

    /// Whether both coordinates are rounded to decimal places of degrees, minutes or seconds, or to single precision.
    ///
    /// About 2 % of unrounded points match by chance; two successive points do in 1 of 2,000 cases.
    package var isRounded: Bool {
        lies(on: Self.sixDigits) || lies(on: Self.minutes) || lies(on: Self.seconds) || isOfSinglePrecision
    }

    @inline(__always) private func lies(on grid: Grid) -> Bool { grid.contains(latitude) && grid.contains(longitude) }

    /// Whether the coordinates are single-precision numbers, as far as that can be detected.
    private var isOfSinglePrecision: Bool {
        let north = Self.isOfSinglePrecision(latitude)
        let east = Self.isOfSinglePrecision(longitude)
        return north != false && east != false && (north != nil || east != nil)
    }

    /// Returns whether a value is a single-precision number; `nil` near 0°, where the spacing is below
    /// ``leastSpacing``.
    private static func isOfSinglePrecision(_ value: Int32) -> Bool? {
        let single = Float(Double(value) / 1e7)
        guard Double(single.ulp) * 1e7 >= leastSpacing else { return nil }
        return abs(Double(single) * 1e7 - Double(value)) <= 1
    }

    /// Grids that devices round to, from the coarsest to the finest that ``commonSpacing(_:_:)`` distinguishes.
    private static let knownGrids: [Grid] = {
        var grids: [Grid] = []
        for exponent in 1...7 {
            let power = (0..<exponent).reduce(Int64(1)) { product, _ in product * 10 }
            for digit: Int64 in [1, 2, 5] {
                // Degrees, minutes (10⁶ / 6 units each) and seconds.
                grids.append(Grid(numerator: digit * power, denominator: 1, tolerance: 0))
                grids.append(Grid(numerator: digit * power, denominator: 6, tolerance: 4))
                grids.append(Grid(numerator: digit * power, denominator: 36, tolerance: 24))
            }
        }
        // A full turn in 2^20 to 2^27 steps.
        for bits: Int64 in 20...27 {
            let denominator = Int64(1) << bits
            grids.append(Grid(numerator: 3_600_000_000, denominator: denominator, tolerance: denominator * 2 / 3))
        }
        return grids.filter { $0.spacing >= leastSpacing }.sorted { $0.spacing > $1.spacing }
    }()

    /// Returns the spacing, in 1e-7 degrees, of the coarsest known grid that contains both values, or 1.
    package static func commonSpacing(_ one: Int32, _ other: Int32) -> Double {
        if one == 0, other == 0 { return knownGrids.first?.spacing ?? 1 }
        let known = knownGrids.first { $0.contains(one) && $0.contains(other) }?.spacing ?? 1
        guard isOfSinglePrecision(one) == true, isOfSinglePrecision(other) == true else { return known }
        return max(known, Double(Float(Double(one) / 1e7).ulp) * 1e7)
    }
}
