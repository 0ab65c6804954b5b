/// Histogram of errors of estimates, in units of the interval table.
///
/// The table's 10th percentile is -1 and its 90th is 1. Counts are stored in ``RoadSpeedTable``, one entry per class of
/// trips, row and bin.
struct SpreadHistogram: Sendable, Equatable {
    /// Share of all arrivals in each bin.
    var shares: [Double]

    /// Bounds of the bins; errors beyond them count in the outermost bins.
    static let edges: [Double] = [
        -14, -9, -6.5, -5, -4, -3.25, -2.65, -2.2, -1.8, -1.5, -1.25, -1, -0.8, -0.62, -0.45, -0.3,
        -0.15, 0, 0.15,
        0.3, 0.45, 0.62, 0.8, 1, 1.25, 1.5, 1.8, 2.2, 2.65, 3.25, 4, 5, 6.5, 9, 14,
    ]

    /// Weight of an arrival in metres of road, so that it is not evicted before road cells.
    static let metersPerArrival = 200.0

    /// Shares of arrivals below the edges from 0 on: normal up to the 90th percentile, then a heavier tail.
    private static let sharesBelow: [Double] = [
        0.5, 0.576, 0.65, 0.718, 0.787, 0.847, 0.9, 0.941, 0.966, 0.982, 0.991, 0.995, 0.9975, 0.9985,
        0.999, 0.9995,
        0.9998, 1,
    ]

    /// The histogram that the interval table assumes.
    static let table = SpreadHistogram(
        shares: zip(edges.indices.dropFirst(), edges.indices).map { shareBelow($0) - shareBelow($1) })

    private static func shareBelow(_ edge: Int) -> Double {
        let middle = edges.count / 2
        return edge >= middle ? sharesBelow[edge - middle] : 1 - sharesBelow[middle - edge]
    }

    /// Returns the bin of an error.
    static func bin(of units: Double) -> Int {
        var low = 0
        var high = edges.count - 2
        while low < high {
            let middle = (low + high + 1) / 2
            if edges[middle] <= units { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the key of a bin in ``RoadSpeedTable``, with the highest bit set, unlike cells north of the equator.
    static func key(_ trips: UInt64, row: Int, bin: Int) -> UInt64 {
        TripPlan.mix(trips, UInt64(row * 64 + bin)) | 1 << 63
    }

    /// Returns the parts of an error of `units`: one for its row, and one for all rows, stored as row `rowCount`.
    static func parts(of trips: UInt64, row: Int, rowCount: Int, units: Double) -> [RoadSpeedTable.Part] {
        let bin = bin(of: units)
        return [row, rowCount].map {
            RoadSpeedTable.Part(cell: key(trips, row: $0, bin: bin), meters: metersPerArrival, seconds: 0)
        }
    }
}

extension SpreadHistogram {
    /// Blend of a histogram, with a weight of `prior` arrivals, and counts; valid as long as the memory of the counts.
    struct Mixture {
        private let counts: UnsafeMutableBufferPointer<Double>
        private let prior: Double
        private let total: Double

        init(_ counts: UnsafeMutableBufferPointer<Double>, prior: Double) {
            self.counts = counts
            self.prior = prior
            total = counts.reduce(prior, +)
        }

        /// Returns the blended share of a bin whose share in the histogram is `share`.
        func share(_ share: Double, _ bin: Int) -> Double { (share * prior + counts[bin]) / total }

        /// Returns the quantile `share` of the error, interpolated within bins.
        func quantile(_ share: Double, of histogram: UnsafeMutableBufferPointer<Double>) -> Double {
            var below = 0.0
            for bin in histogram.indices {
                let part = self.share(histogram[bin], bin)
                if below + part >= share, part > 0 {
                    let start = edges[bin]
                    return start + (edges[bin + 1] - start) * (share - below) / part
                }
                below += part
            }
            return edges[edges.count - 1]
        }
    }
}
