import Support

/// A search for a point of a route: position, direction of travel and expected position.
struct RouteProbe {
    var equatorMeters: Double
    var meridianMeters: Double
    /// Metres east per ``equatorMeters``, at the position's latitude.
    var eastScale: Double
    /// Direction of travel as a unit vector; zero if unknown.
    var headingEast = 0.0
    var headingNorth = 0.0
    /// Cost of a segment in the opposite direction, in metres; a perpendicular segment costs half.
    var headingCostMeters = 0.0
    /// Expected position along the route; used only with a ``continuityCost``.
    var expectedMeters = 0.0
    /// Cost per metre of distance from ``expectedMeters``, up to ``continuityLimitMeters``.
    var continuityCost = 0.0
    var continuityLimitMeters = 0.0

    /// Creates a probe; `headingDegrees` is `nil` if the heading is unknown or the vehicle is slow.
    init(coordinate: Coordinate, headingDegrees: Double?, on geometry: RouteGeometry) {
        // Uses the longitude nearest to the route's start, because the route is unwrapped across the date line.
        let start = geometry.vertices[0].equatorMeters / Geodesy.metersPerDegree
        let longitude = start + Geodesy.normalizedLongitude(coordinate.longitude - start)
        equatorMeters = longitude * Geodesy.metersPerDegree
        meridianMeters = coordinate.latitude * Geodesy.metersPerDegree
        eastScale = max(1e-6, Elementary.cos(coordinate.latitude * .pi / 180))
        if let headingDegrees {
            headingEast = Elementary.sin(headingDegrees * .pi / 180)
            headingNorth = Elementary.cos(headingDegrees * .pi / 180)
        }
    }

    var hasHeading: Bool { headingEast != 0 || headingNorth != 0 }
}

/// A point of the route near a probe.
struct RouteHit {
    var alongMeters: Double
    var distanceMeters: Double
    /// Cosine of the angle between the directions of travel and of the route; 0 without a heading.
    var agreement: Double
    /// Distance plus the costs of heading and continuity.
    var cost: Double

    static let none = RouteHit(alongMeters: .nan, distanceMeters: .infinity, agreement: 0, cost: .infinity)
}

extension RouteGeometry {
    /// Returns the point with the least cost in `range`; ``RouteHit/none`` if there is no such point.
    func nearest(_ probe: RouteProbe, within range: ClosedRange<Double>) -> RouteHit {
        var best = RouteHit.none
        let last = segment(at: range.upperBound)
        var index = segment(at: range.lowerBound)
        while index <= last {
            // Skips blocks that cannot contain a better point.
            if index % Self.blockSize == 0, index + Self.blockSize <= last,
                lowerBound(of: blocks[index / Self.blockSize], from: probe) >= best.cost
            {
                index += Self.blockSize
                continue
            }
            consider(index, probe, range, &best)
            index += 1
        }
        return best
    }

    /// Returns the point with the least cost on the whole route.
    func nearest(_ probe: RouteProbe) -> RouteHit { nearest(probe, within: 0...lengthMeters) }

    /// Returns a lower bound of the distance from the probe to the segments of a block.
    @inline(__always) func lowerBound(of block: Block, from probe: RouteProbe) -> Double {
        let east = max(0, block.west - probe.equatorMeters, probe.equatorMeters - block.east) * probe.eastScale
        let north = max(0, block.south - probe.meridianMeters, probe.meridianMeters - block.north)
        return (east * east + north * north).squareRoot()
    }

    @inline(__always)
    private func consider(_ index: Int, _ probe: RouteProbe, _ range: ClosedRange<Double>, _ best: inout RouteHit) {
        let start = vertices[index]
        let end = vertices[index + 1]
        let east = (start.equatorMeters - probe.equatorMeters) * probe.eastScale
        let north = start.meridianMeters - probe.meridianMeters
        let runEast = (end.equatorMeters - start.equatorMeters) * probe.eastScale
        let runNorth = end.meridianMeters - start.meridianMeters
        let squared = runEast * runEast + runNorth * runNorth
        let length = end.alongMeters - start.alongMeters
        guard squared > 0, length > 0 else { return }
        let free = -(east * runEast + north * runNorth) / squared
        let low = max(0, (range.lowerBound - start.alongMeters) / length)
        let high = min(1, (range.upperBound - start.alongMeters) / length)
        guard low <= high else { return }
        let part = max(low, min(high, free))
        let offEast = east + part * runEast
        let offNorth = north + part * runNorth
        let distance = (offEast * offEast + offNorth * offNorth).squareRoot()
        guard distance < best.cost else { return }
        let along = start.alongMeters + part * length
        var cost = distance
        var agreement = 0.0
        if probe.hasHeading {
            agreement = (runEast * probe.headingEast + runNorth * probe.headingNorth) / squared.squareRoot()
            cost += probe.headingCostMeters * (1 - agreement) / 2
        }
        cost += min(probe.continuityLimitMeters, probe.continuityCost * abs(along - probe.expectedMeters))
        guard cost < best.cost else { return }
        best = RouteHit(alongMeters: along, distanceMeters: distance, agreement: agreement, cost: cost)
    }
}
