/// Distances from the truth, in metres.
package struct ErrorDistribution: Sendable, Equatable {
    package private(set) var meters: [Double] = []

    package mutating func add(_ error: Double) { meters.append(error) }

    package mutating func merge(_ other: ErrorDistribution) { meters += other.meters }

    /// Root of the mean square; `nil` without errors.
    package var rootMeanSquareMeters: Double? {
        guard !meters.isEmpty else { return nil }
        return (meters.reduce(0) { $0 + $1 * $1 } / Double(meters.count)).squareRoot()
    }

    /// The errors that these shares (0 to 1) of all errors do not exceed, by nearest rank; `nil` without errors.
    package func percentiles(_ shares: [Double]) -> [Double?] {
        guard !meters.isEmpty else { return shares.map { _ in nil } }
        let sorted = meters.sorted()
        return shares.map { share in
            let rank = Int((share * Double(sorted.count)).rounded(.up))
            return sorted[max(0, min(sorted.count, rank) - 1)]
        }
    }

    /// The cumulative distribution at `count` evenly spaced shares, from the smallest error to the largest.
    package func cumulative(count: Int) -> [LinePlot.Point] {
        let shares = (1...count).map { Double($0) / Double(count) }
        return zip(shares, percentiles(shares)).compactMap { share, error in
            error.map { LinePlot.Point(x: $0, y: share) }
        }
    }
}
