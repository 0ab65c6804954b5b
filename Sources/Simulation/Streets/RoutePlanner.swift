import HeapModule

/// Search for the fastest path through a town at the speed limits, without traffic (A*).
///
/// Reuses its memory between searches.
package struct RoutePlanner {
    /// Entry of the A* open set.
    ///
    /// Ties are ordered by crossing, so that the path does not depend on earlier searches.
    private struct Candidate: Comparable, Sendable {
        var estimateSeconds: Double
        var crossing: Int

        static func < (left: Candidate, right: Candidate) -> Bool {
            left.estimateSeconds != right.estimateSeconds
                ? left.estimateSeconds < right.estimateSeconds : left.crossing < right.crossing
        }
    }

    private var costSeconds: [Double]
    private var cameFrom: [Int32]
    private var lastSearch: [UInt32]
    private var search: UInt32 = 0
    private var heap = Heap<Candidate>()
    /// Time added at a crossing without a signal, in seconds; nothing is added at the end of a tunnel.
    private static let crossingSeconds = 2.0
    /// Time added at a crossing with a signal, in seconds.
    private static let signalSeconds = 12.0

    package init(network: StreetNetwork) {
        costSeconds = Array(repeating: 0, count: network.crossings.count)
        cameFrom = Array(repeating: -1, count: network.crossings.count)
        lastSearch = Array(repeating: 0, count: network.crossings.count)
    }

    /// Returns the crossings from `start` to `end`, including both; empty if there is no path.
    package mutating func route(from start: Int, to end: Int, in network: StreetNetwork) -> [Int] {
        search += 1
        heap = Heap()
        visit(start, from: -1, cost: 0, end: end, in: network)
        while let best = heap.popMin() {
            if best.crossing == end { return crossings(to: end) }
            let cost = costSeconds[best.crossing]
            if best.estimateSeconds > cost + leastSeconds(best.crossing, end, in: network) + 1e-9 { continue }
            for index in network.streets(from: best.crossing) {
                let street = network.streets[index]
                let next = cost + Self.seconds(on: street, in: network)
                if lastSearch[street.to] != search || next < costSeconds[street.to] - 1e-9 {
                    visit(street.to, from: best.crossing, cost: next, end: end, in: network)
                }
            }
        }
        return []
    }

    /// Returns the planned travel time of a street and the crossing at its end, in seconds.
    package static func seconds(on street: StreetNetwork.Street, in network: StreetNetwork) -> Double {
        street.lengthMeters / street.streetClass.limitMetersPerSecond
            + (network.hasSignal[street.to] ? signalSeconds : street.isTunnel ? 0 : crossingSeconds)
    }

    private mutating func visit(_ crossing: Int, from: Int, cost: Double, end: Int, in network: StreetNetwork) {
        costSeconds[crossing] = cost
        cameFrom[crossing] = Int32(from)
        lastSearch[crossing] = search
        heap.insert(Candidate(estimateSeconds: cost + leastSeconds(crossing, end, in: network), crossing: crossing))
    }

    private func leastSeconds(_ crossing: Int, _ end: Int, in network: StreetNetwork) -> Double {
        network.crossings[crossing].distanceMeters(to: network.crossings[end])
            / StreetNetwork.Class.express.limitMetersPerSecond
    }

    private func crossings(to end: Int) -> [Int] {
        var path = [end]
        var current = end
        while cameFrom[current] >= 0 {
            current = Int(cameFrom[current])
            path.append(current)
        }
        return path.reversed()
    }
}
