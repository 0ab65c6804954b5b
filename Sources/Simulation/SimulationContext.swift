import Domain

/// State shared by all drivers: town, bus lines, route planner, and the drivers' events and ground truth.
struct SimulationContext: Sendable {
    let configuration: FleetConfiguration
    let network: StreetNetwork
    /// Both directions of each bus line: elements 2n (outward) and 2n + 1 (back).
    private(set) var lines: [TransitLine] = []
    private var planner: RoutePlanner
    var output = FleetOutput()

    init(configuration: FleetConfiguration) {
        self.configuration = configuration
        network = StreetNetworkBuilder.build(
            center: configuration.center, configuration: configuration.streets, seed: configuration.seed)
        planner = RoutePlanner(network: network)
        let buses = Int((Double(configuration.drivers) * configuration.transitShare).rounded())
        addTransitLines(count: buses == 0 ? 0 : max(1, min(40, buses / 5)))
    }

    /// Returns the fastest path; a path of only `start` if the destination is unreachable.
    ///
    /// `previous`: the crossing from which a vehicle is still driving to `start`; the path begins there.
    mutating func path(from start: Int, to end: Int, after previous: Int? = nil) -> DrivePath {
        let crossings = planner.route(from: start, to: end, in: network)
        let before = previous.map { [$0] } ?? []
        return DrivePath(crossings: before + (crossings.isEmpty ? [start] : crossings), in: network)
    }

    /// Draws a destination at a straight distance in `range`, in metres.
    ///
    /// Returns the destination closest to the range if none of `tries` draws is in it.
    func destination(
        from crossing: Int, within range: ClosedRange<Double>, tries: Int = 40, random: inout RandomSource
    ) -> Int {
        let here = network.crossings[crossing]
        var closest = (crossing: crossing, metersOutside: Double.infinity)
        for _ in 0..<tries {
            let candidate = network.destinations[random.index(below: network.destinations.count)]
            let distance = here.distanceMeters(to: network.crossings[candidate])
            if range.contains(distance), candidate != crossing { return candidate }
            let metersOutside = max(range.lowerBound - distance, distance - range.upperBound)
            if candidate != crossing, metersOutside < closest.metersOutside {
                closest = (candidate, metersOutside)
            }
        }
        return closest.crossing
    }

    func coordinate(of crossing: Int) -> Coordinate { network.plane.coordinate(of: network.crossings[crossing]) }

    private mutating func addTransitLines(count: Int) {
        var random = RandomSource(seed: configuration.seed, index: 0, purpose: 2)
        let size =
            configuration.streets.blockMeters * Double(min(configuration.streets.columns, configuration.streets.rows))
        for number in 0..<count {
            let first = network.destinations[random.index(below: network.destinations.count)]
            let last = destination(from: first, within: size * 0.4...size * 0.65, random: &random)
            let outward = path(from: first, to: last)
            let back = DrivePath(crossings: outward.crossings.reversed(), in: network)
            lines.append(TransitLine(routeID: "R\(number + 1)", direction: "A", path: outward))
            lines.append(TransitLine(routeID: "R\(number + 1)", direction: "B", path: back))
        }
    }
}
