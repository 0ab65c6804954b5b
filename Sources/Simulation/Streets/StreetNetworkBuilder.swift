import Domain
import Glibc

/// Builder of a town: crossings on an irregular grid, streets between them, then river, tunnels and signals.
struct StreetNetworkBuilder {
    /// A two-way street before numbering.
    private struct Link {
        var first: Int
        var second: Int
        var streetClass: StreetNetwork.Class
        var isTunnel = false
        var isBridge = false
        var exists = true
        var trafficFactor = 1.0
    }

    private let configuration: StreetNetworkConfiguration
    private var random: RandomSource
    private var network: StreetNetwork
    private var links: [Link] = []
    /// Index of the link that leaves a crossing eastward, by `crossing * 2`, or northward, by `crossing * 2 + 1`.
    private var linkIndex: [Int: Int] = [:]
    private var insideTunnels: Set<Int> = []
    /// Crossings inside or at the ends of tunnels; two tunnels never share an end.
    private var belongsToTunnel: Set<Int> = []

    static func build(center: Coordinate, configuration: StreetNetworkConfiguration, seed: UInt64) -> StreetNetwork {
        var builder = StreetNetworkBuilder(center: center, configuration: configuration, seed: seed)
        builder.placeCrossings()
        builder.addStreets()
        builder.digTunnels()
        builder.keepConnectedPart()
        builder.finish()
        return builder.network
    }

    private init(center: Coordinate, configuration: StreetNetworkConfiguration, seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed, index: 0, purpose: 1)
        network = StreetNetwork(center: center)
    }

    private func crossing(_ column: Int, _ row: Int) -> Int { row * configuration.columns + column }

    private mutating func placeCrossings() {
        let block = configuration.blockMeters
        let bend = block * configuration.irregularity
        for row in 0..<configuration.rows {
            for column in 0..<configuration.columns {
                network.crossings.append(
                    TangentPlane.Point(
                        east: (Double(column) - Double(configuration.columns - 1) / 2) * block
                            + random.uniform(in: -bend...bend),
                        north: (Double(row) - Double(configuration.rows - 1) / 2) * block
                            + random.uniform(in: -bend...bend)))
            }
        }
    }

    private func streetClass(ofLine line: Int, lines: Int) -> StreetNetwork.Class {
        let spacing = configuration.arterialSpacing
        if line == spacing || line == (lines - 1) / spacing * spacing - spacing { return .express }
        return line % spacing == 0 ? .arterial : .side
    }

    private mutating func addStreets() {
        for row in 0..<configuration.rows {
            for column in 0..<configuration.columns {
                let start = crossing(column, row)
                if column + 1 < configuration.columns {
                    let streetClass = streetClass(ofLine: row, lines: configuration.rows)
                    link(start, crossing(column + 1, row), streetClass, key: start * 2)
                }
                if row + 1 < configuration.rows {
                    let streetClass = streetClass(ofLine: column, lines: configuration.columns)
                    link(start, crossing(column, row + 1), streetClass, key: start * 2 + 1)
                    crossRiver(column: column, row: row, key: start * 2 + 1)
                }
            }
        }
    }

    private mutating func link(_ first: Int, _ second: Int, _ streetClass: StreetNetwork.Class, key: Int) {
        var link = Link(first: first, second: second, streetClass: streetClass)
        link.exists = streetClass != .side || !random.chance(configuration.missingShare)
        let busy = streetClass == .side ? 0.85...1.0 : 0.68...1.0
        link.trafficFactor = random.uniform(in: busy)
        linkIndex[key] = links.count
        links.append(link)
    }

    /// Removes a northward street that crosses the river, which flows eastward, or makes it a bridge.
    private mutating func crossRiver(column: Int, row: Int, key: Int) {
        let wave = sin(Double(column) / Double(configuration.columns) * 2.5 * .pi)
        let river = Int(Double(configuration.rows) * (0.42 + 0.08 * wave))
        guard row == river, let index = linkIndex[key] else { return }
        let hasBridge = column % configuration.bridgeSpacing == configuration.bridgeSpacing / 2
        links[index].exists = hasBridge
        links[index].isBridge = hasBridge
        if hasBridge { links[index].streetClass = .arterial }
    }

    /// Moves parts of arterials into tunnels, which have no junctions.
    private mutating func digTunnels() {
        let spacing = configuration.arterialSpacing
        for _ in 0..<configuration.tunnels {
            let goesNorth = random.chance(0.5)
            let (lines, length) =
                goesNorth
                ? (configuration.columns, configuration.rows) : (configuration.rows, configuration.columns)
            let line = (2 + random.index(below: max(1, lines / spacing - 3))) * spacing
            let blocks = 3 + random.index(below: 2)
            let start = 1 + random.index(below: length - blocks - 2)
            guard line < lines else { continue }
            let chain = (start...start + blocks).map { goesNorth ? crossing(line, $0) : crossing($0, line) }
            dig(chain, goesNorth: goesNorth)
        }
    }

    private mutating func dig(_ chain: [Int], goesNorth: Bool) {
        let indices = chain.dropLast().compactMap { linkIndex[$0 * 2 + (goesNorth ? 1 : 0)] }
        let isFree = indices.allSatisfy { links[$0].exists && !links[$0].isBridge && !links[$0].isTunnel }
        guard isFree, belongsToTunnel.isDisjoint(with: chain) else { return }
        let inside = Set(chain.dropFirst().dropLast())
        let sideways = links.indices.filter { inside.contains(links[$0].first) || inside.contains(links[$0].second) }
        for index in sideways where !indices.contains(index) { links[index].exists = false }
        for index in indices {
            links[index].isTunnel = true
            links[index].trafficFactor = max(0.9, links[index].trafficFactor)
        }
        insideTunnels.formUnion(inside)
        belongsToTunnel.formUnion(chain)
    }

    /// Removes streets outside the largest connected component.
    private mutating func keepConnectedPart() {
        var neighbours = Array(repeating: [Int](), count: network.crossings.count)
        for link in links where link.exists {
            neighbours[link.first].append(link.second)
            neighbours[link.second].append(link.first)
        }
        var part = Array(repeating: -1, count: network.crossings.count)
        var sizes: [Int] = []
        for start in part.indices where part[start] < 0 {
            var open = [start]
            part[start] = sizes.count
            var size = 0
            while let current = open.popLast() {
                size += 1
                for next in neighbours[current] where part[next] < 0 {
                    part[next] = sizes.count
                    open.append(next)
                }
            }
            sizes.append(size)
        }
        let largest = sizes.indices.max { sizes[$0] < sizes[$1] } ?? 0
        for index in links.indices where part[links[index].first] != largest { links[index].exists = false }
    }

    /// Groups the streets by the crossing they leave, and places signals where larger streets meet.
    private mutating func finish() {
        var leaving = Array(repeating: [StreetNetwork.Street](), count: network.crossings.count)
        for link in links where link.exists {
            let length = network.crossings[link.first].distanceMeters(to: network.crossings[link.second])
            for (from, to) in [(link.first, link.second), (link.second, link.first)] {
                leaving[from].append(
                    StreetNetwork.Street(
                        from: from, to: to, lengthMeters: length, streetClass: link.streetClass,
                        isTunnel: link.isTunnel, isBridge: link.isBridge, trafficFactor: link.trafficFactor))
            }
        }
        for crossing in leaving.indices {
            network.streets += leaving[crossing]
            network.firstStreet.append(network.streets.count)
            let large = leaving[crossing].count { $0.streetClass != .side }
            let isExpress = leaving[crossing].contains { $0.streetClass == .express }
            // Tunnels have no signals.
            let isTunnelEnd = leaving[crossing].contains(where: \.isTunnel)
            network.hasSignal.append(
                leaving[crossing].count >= 3 && large >= 3 && !isExpress && !isTunnelEnd)
            if !leaving[crossing].isEmpty, !insideTunnels.contains(crossing) { network.destinations.append(crossing) }
        }
    }
}
