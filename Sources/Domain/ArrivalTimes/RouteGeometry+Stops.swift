extension RouteGeometry {
    /// A possible position of a stop on the route.
    private struct Candidate {
        var alongMeters: Double
        var distanceMeters: Double
    }

    /// Maximum distance of a candidate from the stop, in metres: a wide avenue or a station's forecourt.
    private static let candidateRadiusMeters = 100.0

    /// Maximum candidates per stop, for routes that pass a stop often; the nearest candidates are used.
    private static let candidateLimit = 16

    /// Returns the position of each stop along the route, in ascending order.
    ///
    /// Minimises the sum of squared distances by dynamic programming; neighbours determine the pass of a stop.
    package func project(stops: [Coordinate]) -> [Double] {
        var layers: [[Candidate]] = []
        var parents: [[Int]] = []
        var costs: [Double] = []
        for stop in stops {
            var layer = candidates(for: stop)
            var (next, parent) = Self.extend(layers.last ?? [], costs, to: layer)
            if !layers.isEmpty, next.allSatisfy({ $0 == .infinity }) {
                // Uses the previous stop's position, because no candidate follows it: the stops are out of order, or
                // the route misses a stop.
                let from = costs.indices.min { costs[$0] < costs[$1] } ?? 0
                let forced = layers[layers.count - 1][from].alongMeters
                layer = [Candidate(alongMeters: forced, distanceMeters: 0)]
                next = [costs[from] + Self.candidateRadiusMeters * Self.candidateRadiusMeters]
                parent = [from]
            }
            layers.append(layer)
            parents.append(parent)
            costs = next
        }
        return Self.trace(layers, parents, costs)
    }

    private static func extend(
        _ before: [Candidate], _ costs: [Double], to layer: [Candidate]
    ) -> (costs: [Double], parents: [Int]) {
        var next = [Double](repeating: .infinity, count: layer.count)
        var parents = [Int](repeating: 0, count: layer.count)
        for (index, candidate) in layer.enumerated() {
            let own = candidate.distanceMeters * candidate.distanceMeters
            if before.isEmpty { next[index] = own }
            for (previous, earlier) in before.enumerated() where earlier.alongMeters <= candidate.alongMeters {
                if costs[previous] + own < next[index] {
                    next[index] = costs[previous] + own
                    parents[index] = previous
                }
            }
        }
        return (next, parents)
    }

    private static func trace(_ layers: [[Candidate]], _ parents: [[Int]], _ costs: [Double]) -> [Double] {
        var along = [Double](repeating: 0, count: layers.count)
        var chosen = costs.indices.min { costs[$0] < costs[$1] } ?? 0
        for layer in layers.indices.reversed() {
            along[layer] = layers[layer][chosen].alongMeters
            chosen = parents[layer][chosen]
        }
        return along
    }

    /// Returns the local minima of the distance to a stop within the radius, or else the nearest point.
    private func candidates(for stop: Coordinate) -> [Candidate] {
        let probe = RouteProbe(coordinate: stop, headingDegrees: nil, on: self)
        var minima: [Candidate] = []
        var before = Double.infinity
        var isFalling = false
        var previous = Candidate(alongMeters: 0, distanceMeters: .infinity)
        var index = 0
        while index < segmentCount {
            // Skips blocks that are too far away for a candidate.
            if index % Self.blockSize == 0,
                lowerBound(of: blocks[index / Self.blockSize], from: probe) > Self.candidateRadiusMeters
            {
                if isFalling { minima.append(previous) }
                before = .infinity
                isFalling = false
                index += Self.blockSize
                continue
            }
            let hit = nearest(probe, within: vertices[index].alongMeters...vertices[index + 1].alongMeters)
            if hit.distanceMeters > before, isFalling { minima.append(previous) }
            if hit.distanceMeters != before { isFalling = hit.distanceMeters < before }
            before = hit.distanceMeters
            previous = Candidate(alongMeters: hit.alongMeters, distanceMeters: hit.distanceMeters)
            index += 1
        }
        if isFalling { minima.append(previous) }
        let near = minima.filter { $0.distanceMeters <= Self.candidateRadiusMeters }
        if near.isEmpty {
            let hit = nearest(probe)
            return [Candidate(alongMeters: hit.alongMeters, distanceMeters: hit.distanceMeters)]
        }
        guard near.count > Self.candidateLimit else { return near }
        let kept = near.sorted { $0.distanceMeters < $1.distanceMeters }.prefix(Self.candidateLimit)
        return kept.sorted { $0.alongMeters < $1.alongMeters }
    }
}
