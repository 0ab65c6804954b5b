import Domain
import PositionWorker
import Testing

@Suite("Geo areas")
struct GeoAreaTests {
    @Test(
        "a place lies in its well-known geohash cell",
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

    @Test("a cell is parsed from four characters only")
    func reading() {
        let area = GeoArea(Coordinate(latitude: 37.7749, longitude: -122.4194))
        #expect(GeoArea("9q8y".utf8) == area)
        for text in ["", "9q8", "9q8yy"] { #expect(GeoArea(text.utf8) == .none) }
    }
}
