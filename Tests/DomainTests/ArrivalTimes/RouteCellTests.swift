import TestSupport
import Testing

@testable import Domain

@Suite struct RouteCellTests {
    /// Degrees of latitude per cell.
    private static let cellDegrees = 0.002
    /// Maximum distance of two points of a cell, which is a square of about 222 m.
    private static let diagonalMeters = 330.0

    /// Returns the key of the cell at a place, driven northwards.
    private func key(_ place: Coordinate) throws -> UInt64 {
        let end = Coordinate(latitude: place.latitude + 0.00002, longitude: place.longitude)
        let geometry = try #require(RouteGeometry(points: [place, end]))
        return try #require(RouteCells(geometry: geometry, kind: .transit).sections.first?.key)
    }

    @Test(
        "512 rows of a column and 512 columns of a row have different keys",
        arguments: [-179.95, -122.4183, -74.0, -0.05, 0.05, 11.5, 151.2, 179.95])
    func rowsAndColumns(longitude: Double) throws {
        let rows = try (-256..<256).map {
            try key(Coordinate(latitude: (Double($0) + 0.5) * Self.cellDegrees, longitude: longitude))
        }
        #expect(Set(rows).count == 512)
        let columns = try (0..<512).map {
            let east = longitude + Double($0) * 2 * Self.cellDegrees
            return try key(Coordinate(latitude: 40.001, longitude: east > 180 ? east - 360 : east))
        }
        #expect(Set(columns).count == 512)
    }

    @Test("places with equal keys are under 330 m apart, also at the antimeridian and near the poles")
    func distinct() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var seen: [UInt64: Coordinate] = [:]
        var shared = 0
        for round in 0..<400 {
            let latitude =
                switch round % 4 {
                case 0: Double.random(in: 88...89.9, using: &random) * (round % 8 == 0 ? 1 : -1)
                default: Double.random(in: -80...80, using: &random)
                }
            let longitude =
                switch round % 5 {
                case 0: 180 - Double.random(in: 0...0.01, using: &random)
                case 1: -180 + Double.random(in: 0...0.01, using: &random)
                case 2: Double.random(in: -0.01...0.01, using: &random)
                default: Double.random(in: -180...180, using: &random)
                }
            for _ in 0..<100 {
                // Near the place, or up to 300 rows of cells away.
                let rows = Bool.random(using: &random) ? 0 : Double(Int.random(in: -300...300, using: &random))
                var place = Coordinate(
                    latitude: latitude + rows * Self.cellDegrees + .random(in: -0.003...0.003, using: &random),
                    longitude: longitude + .random(in: -0.01...0.01, using: &random))
                place.latitude = min(89.9, max(-89.9, place.latitude))
                place.longitude = Geodesy.normalizedLongitude(place.longitude)
                let key = try key(place)
                guard let other = seen.updateValue(place, forKey: key) else { continue }
                shared += 1
                let meters = Geodesy.distanceMeters(from: place, to: other)
                guard meters < Self.diagonalMeters else {
                    Issue.record("seed \(seed): \(place) and \(other), \(meters) m apart, share key \(key)")
                    return
                }
            }
        }
        print("seed \(seed): \(seen.count) cells, \(shared) places in a cell seen before")
        #expect(shared > 1000)
    }
}
