import Testing

@testable import Domain
@testable import PositionWorker

@Suite("Geo areas")
struct GeoAreaTests {
    @Test(
        "a coordinate lies in its well-known geohash cell",
        arguments: [
            (37.7749, -122.4194, "9q8y"), (52.52, 13.405, "u33d"), (-33.8688, 151.2093, "r3gx"), (0, 0, "s000"),
            (-22.9068, -43.1729, "75cm"), (51.4779, -0.0015, "gcpu"), (51.4779, 0.0015, "u10h"),
        ])
    func wellKnown(latitude: Double, longitude: Double, cell: String) {
        #expect("\(GeoArea(Coordinate(latitude: latitude, longitude: longitude)))" == cell)
    }

    @Test("the date line and the latitude limits have cells")
    func bounds() {
        for latitude in [-GeoArea.maximumLatitude, GeoArea.maximumLatitude] {
            for longitude in [-180.0, 180.0] {
                #expect(GeoArea(Coordinate(latitude: latitude, longitude: longitude)) != .none)
            }
        }
    }

    @Test("positions beyond the latitude limits have no cell", arguments: [85.051_128_79, -85.051_128_79, 90, .nan])
    func outside(latitude: Double) {
        let area = GeoArea(Coordinate(latitude: latitude, longitude: 0))
        #expect(area == .none)
        #expect("\(area)".isEmpty)
    }

    @Test("only a text of four characters is parsed as a cell")
    func reading() {
        let area = GeoArea(Coordinate(latitude: 37.7749, longitude: -122.4194))
        #expect(GeoArea("9q8y".utf8) == area)
        for text in ["", "9q8", "9q8yy"] { #expect(GeoArea(text.utf8) == .none) }
    }

    private func cells(_ latitude: Double, _ longitude: Double, _ radiusMeters: Double) -> Set<String> {
        let cells = GeoArea.around(Coordinate(latitude: latitude, longitude: longitude), radiusMeters: radiusMeters)
        let names = Set(cells.map(\.description))
        #expect(names.count == cells.count, "no cell is repeated")
        return names
    }

    @Test("a circle touches one cell, two at a border, and four at a corner")
    func borders() {
        // The meridian of Greenwich is the border of gcpu and u10h; latitude 51.328125 is the border of two rows.
        #expect(cells(51.4, 0.2, 1000) == ["u10h"])
        #expect(cells(51.4, 0.001, 50) == ["u10h"])
        #expect(cells(51.4, 0.001, 100) == ["u10h", "gcpu"])
        #expect(cells(51.328_125, 0, 10) == ["u10h", "gcpu", "u105", "gcpg"])
    }

    @Test("a circle across the date line touches the cells on both sides")
    func dateLine() {
        let both = cells(0.1, 179.999, 1000)
        #expect(both == cells(0.1, -179.999, 1000))
        #expect(both == ["xbpb", "8000"])
    }

    @Test("a circle touches cells up to the latitude limit only, and all columns if it contains a pole")
    func poles() {
        #expect(!cells(85, 0, 1000).isEmpty)
        #expect(cells(85.06, 0, 100).isEmpty)
        #expect(cells(90, 0, 100).isEmpty)
        // From latitude 89.9, a radius of 600 km reaches below latitude 85.05 on every meridian.
        let columns = GeoArea.around(Coordinate(latitude: 89.9, longitude: 0), radiusMeters: 600_000)
        #expect(Set(columns).count == columns.count && columns.count % 1024 == 0 && !columns.isEmpty)
    }

    @Test("every point at the radius lies in a returned cell", arguments: [0.0, 37.7, -33.86, 60, -70, 84.9])
    func complete(latitude: Double) {
        for longitude in [-180.0, -179.9999, -0.0001, 0, 11.25, 151.2, 179.9999, 180] {
            let center = Coordinate(latitude: latitude, longitude: longitude)
            for radius in [1.0, 500, 20_000, 150_000] {
                let cells = Set(GeoArea.around(center, radiusMeters: radius))
                for bearing in stride(from: 0.0, to: 360, by: 5) {
                    let point = Geodesy.destination(from: center, bearingDegrees: bearing, distanceMeters: radius)
                    let area = GeoArea(point)
                    #expect(area == .none || cells.contains(area), "\(center) \(radius) m towards \(bearing)")
                }
            }
        }
    }
}
