import Domain
import Support

/// Position of a vehicle on a route at each fix, matched offline over the whole track.
///
/// Finds the most likely sequence of positions (Viterbi), assuming fix errors of 15 m and steps along the route that
/// are as long as the steps between the fixes (Newson & Krumm 2009). Shares no code with the measured online matcher.
package struct TrackOnRoute: Sendable {
    private struct Candidate {
        var along: Double
        var cost: Double
        var parent = -1
    }

    private static let fixErrorMeters = 15.0
    private static let radiusMeters = 75.0
    /// Scale (m) of the difference between a step along the route and the step between the fixes.
    private static let stepMeters = 50.0
    /// Scale (m) of backward steps, which come from the noise of the fixes.
    private static let backwardMeters = 10.0
    private static let fastestMetersPerSecond = 45.0
    private static let candidateLimit = 8

    /// Times of the matched fixes and their positions along the route.
    package private(set) var places: [(at: Timestamp, alongMeters: Double)] = []
    package let lengthMeters: Double

    /// Matches fixes in order of time; `nil` if the points are not a line.
    package init?(route points: [Coordinate], fixes: [(at: Timestamp, coordinate: Coordinate)]) {
        guard let line = RouteLine(points: points), line.lengthMeters > 0 else { return nil }
        lengthMeters = line.lengthMeters
        var layers: [(fix: Int, candidates: [Candidate])] = []
        for index in fixes.indices {
            var layer = line.approaches(
                of: fixes[index].coordinate, within: Self.radiusMeters, limit: Self.candidateLimit
            ).map { along, distance in
                let errors = distance / Self.fixErrorMeters
                return Candidate(along: along, cost: errors * errors / 2)
            }
            guard !layer.isEmpty else { continue }
            if let last = layers.last {
                Self.connect(last.candidates, &layer, from: fixes[last.fix], to: fixes[index])
            }
            layers.append((index, layer))
        }
        places = Self.trace(layers).map { (fixes[$0.fix].at, $0.along) }
    }

    private static func connect(
        _ before: [Candidate], _ layer: inout [Candidate], from: (at: Timestamp, coordinate: Coordinate),
        to: (at: Timestamp, coordinate: Coordinate)
    ) {
        let straight = Geodesy.distanceMeters(from: from.coordinate, to: to.coordinate)
        let reach = fastestMetersPerSecond * to.at.seconds(since: from.at) + 2 * radiusMeters
        for index in layer.indices {
            var best = Double.infinity
            for (parent, earlier) in before.enumerated() {
                let step = layer[index].along - earlier.along
                var cost = earlier.cost + abs(max(0, step) - straight) / stepMeters + max(0, -step) / backwardMeters
                if step > reach { cost += 50 }
                if cost < best {
                    best = cost
                    layer[index].parent = parent
                }
            }
            layer[index].cost += best
        }
    }

    private static func trace(_ layers: [(fix: Int, candidates: [Candidate])]) -> [(fix: Int, along: Double)] {
        guard let last = layers.last else { return [] }
        var matched: [(Int, Double)] = []
        var chosen = last.candidates.indices.min { last.candidates[$0].cost < last.candidates[$1].cost } ?? 0
        for layer in layers.reversed() {
            matched.append((layer.fix, layer.candidates[chosen].along))
            chosen = max(0, layer.candidates[chosen].parent)
        }
        return matched.reversed()
    }

    /// Returns the time at which the vehicle last passed `meters` along the route, by linear interpolation.
    ///
    /// `nil` if the fixes before and after are more than `bracketSeconds` apart, or if one of them is missing.
    package func passage(at meters: Double, within bracketSeconds: Double = 120) -> Timestamp? {
        for index in places.indices.dropLast().reversed() {
            let (start, end) = (places[index], places[index + 1])
            guard start.alongMeters < meters, meters <= end.alongMeters else { continue }
            let seconds = end.at.seconds(since: start.at)
            guard seconds <= bracketSeconds else { return nil }
            let part = (meters - start.alongMeters) / (end.alongMeters - start.alongMeters)
            return start.at.advanced(bySeconds: part * seconds)
        }
        return nil
    }
}
