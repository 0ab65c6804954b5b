import Domain
import Redis

/// Driver near a searched coordinate, with the fields of the driver's hash.
package struct NearbyDriver: Equatable, Sendable {
    package var driverID: String
    /// Distance from the searched coordinate, rounded to 0.1 m.
    package var meters: Double
    package var coordinate: Coordinate
    /// Heading, clockwise from north; `nil` if unknown.
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double?
    package var accuracyMeters: Double?
    package var fixedAtMilliseconds: Int64
    package var tripID: String?
    package var isHalted: Bool
    /// Risk, 0 to 1; `nil` if unknown.
    package var risk: Double?
    package var isFlagged: Bool
    package var isSuspect: Bool
}

/// Search for the nearest drivers in the geo sets of `position-worker`; confined to one thread.
package struct NearestSearch {
    package struct Result: Sendable {
        package var drivers: [NearbyDriver]
        package var cells: [GeoArea]
        /// Number of ``cells`` that have a geo set.
        package var searchedCells: Int
    }

    package static let maximumRadiusMeters = 200_000.0

    private struct Candidate {
        var driver: String
        var meters: Double
        var area: GeoArea
    }

    private static let pageSize = 200
    /// Additional candidates per cell, because some have moved or are excluded.
    private static let spareCandidates = 100
    private static let fields = [
        "area", "lat", "lon", "heading", "speed_mps", "accuracy_meters", "fixed_at", "trip_id", "is_halted", "risk",
        "is_flagged", "is_suspect",
    ]

    private let keyPrefix: String
    private let nearestDrivers: NearestDrivers
    private let connection: RedisConnection

    /// `nearestDrivers`: the drivers to exclude, as set for `position-worker`.
    package init(keyPrefix: String, nearestDrivers: NearestDrivers, over connection: RedisConnection) {
        self.keyPrefix = keyPrefix
        self.nearestDrivers = nearestDrivers
        self.connection = connection
    }

    /// Returns up to `count` drivers within `radiusMeters` of `center`.
    /// - Throws: `RedisError`.
    package func drivers(near center: Coordinate, radiusMeters: Double, count: Int) throws -> Result {
        let cells = GeoArea.around(center, radiusMeters: radiusMeters)
        let known = Set(try connection.call("SMEMBERS", key("drivers:areas")).elements.compactMap(\.text))
        let searched = cells.filter { known.contains($0.description) }
        var limit = count + Self.spareCandidates
        while true {
            let nearest = try candidates(in: searched, near: center, radiusMeters: radiusMeters, limit: limit)
            let found = try drivers(of: nearest.candidates, count: count)
            guard found.count < count, nearest.isTruncated else {
                return Result(drivers: found, cells: cells, searchedCells: searched.count)
            }
            limit *= 4
        }
    }

    private func drivers(of candidates: [Candidate], count: Int) throws -> [NearbyDriver] {
        var found: [NearbyDriver] = []
        var rest = candidates[...]
        while found.count < count, !rest.isEmpty {
            found += try load(rest.prefix(Self.pageSize))
            rest = rest.dropFirst(Self.pageSize)
        }
        return Array(found.prefix(count))
    }

    private func key(_ name: String) -> String { keyPrefix + name }

    /// Returns the nearest candidates, up to `limit` per cell.
    ///
    /// `isTruncated`: whether there may be more. Candidates beyond the farthest candidate of a
    /// truncated cell are omitted, because nearer candidates may be missing.
    private func candidates(
        in cells: [GeoArea], near center: Coordinate, radiusMeters: Double, limit: Int
    ) throws -> (candidates: [Candidate], isTruncated: Bool) {
        var commands = RedisCommands()
        for cell in cells {
            commands.add(
                command: "GEOSEARCH",
                [
                    key("drivers:geo:\(cell)"), "FROMLONLAT", "\(center.longitude)", "\(center.latitude)", "BYRADIUS",
                    "\(radiusMeters)", "m", "ASC", "COUNT", "\(limit)", "WITHDIST",
                ])
        }
        try connection.send(&commands)
        var candidates: [Candidate] = []
        var horizonMeters: Double?
        for cell in cells {
            let elements = try connection.receive().elements
            for element in elements {
                guard let driver = element.elements.first?.text,
                    let meters = element.elements.last?.text.flatMap({ Double($0) })
                else { continue }
                candidates.append(Candidate(driver: driver, meters: meters, area: cell))
            }
            guard elements.count >= limit, let farthest = candidates.last else { continue }
            horizonMeters = min(horizonMeters ?? .infinity, farthest.meters)
        }
        if let horizonMeters { candidates.removeAll { $0.meters > horizonMeters } }
        return (candidates.sorted { ($0.meters, $0.driver) < ($1.meters, $1.driver) }, horizonMeters != nil)
    }

    private func load(_ candidates: ArraySlice<Candidate>) throws -> [NearbyDriver] {
        var commands = RedisCommands()
        for candidate in candidates {
            commands.add(command: "HMGET", [key("driver:\(candidate.driver)")] + Self.fields)
        }
        try connection.send(&commands)
        return try candidates.compactMap { candidate in
            let values = try connection.receive().elements.map(\.text)
            guard values.count == Self.fields.count else { return nil }
            return driver(candidate, Dictionary(uniqueKeysWithValues: zip(Self.fields, values)))
        }
    }

    /// Returns the driver; `nil` if moved to another cell, expired or excluded.
    private func driver(_ candidate: Candidate, _ values: [String: String?]) -> NearbyDriver? {
        func number(_ name: String) -> Double? { (values[name] ?? nil).flatMap { Double($0) } }
        func isSet(_ name: String) -> Bool { values[name] == "1" }
        guard values["area"] == candidate.area.description, let latitude = number("lat"),
            let longitude = number("lon"), let fixedAt = number("fixed_at").map({ Int64($0) }),
            !nearestDrivers.excludes(isFlagged: isSet("is_flagged"), isSuspect: isSet("is_suspect"))
        else { return nil }
        let trip = values["trip_id"] ?? nil
        return NearbyDriver(
            driverID: candidate.driver, meters: (candidate.meters * 10).rounded() / 10,
            coordinate: Coordinate(latitude: latitude, longitude: longitude), headingDegrees: number("heading"),
            speedMetersPerSecond: number("speed_mps"), accuracyMeters: number("accuracy_meters"),
            fixedAtMilliseconds: fixedAt, tripID: trip?.isEmpty == false ? trip : nil,
            isHalted: isSet("is_halted"), risk: number("risk"), isFlagged: isSet("is_flagged"),
            isSuspect: isSet("is_suspect"))
    }
}
