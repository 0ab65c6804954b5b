/// Distances from the reference, in metres.
package struct ErrorDistribution: Sendable, Equatable {
    package private(set) var meters: [Double] = []

    package mutating func add(_ error: Double) { meters.append(error) }

    package mutating func merge(_ other: ErrorDistribution) { meters += other.meters }

    /// Root mean square; `nil` without errors.
    package var rootMeanSquareMeters: Double? {
        guard !meters.isEmpty else { return nil }
        return (meters.reduce(0) { $0 + $1 * $1 } / Double(meters.count)).squareRoot()
    }

    /// Returns the nearest-rank percentiles for shares of 0 to 1; `nil` without errors.
    package func percentiles(_ shares: [Double]) -> [Double?] {
        guard !meters.isEmpty else { return shares.map { _ in nil } }
        let sorted = meters.sorted()
        return shares.map { share in
            let rank = Int((share * Double(sorted.count)).rounded(.up))
            return sorted[max(0, min(sorted.count, rank) - 1)]
        }
    }
}
