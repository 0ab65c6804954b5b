import Domain
import Foundation
import PositionWorker
import TestSupport
import Testing

@Suite(
    "Nearest-driver SQL query in docs/storage.md", .blocking,
    .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct StoragePageTests {
    private let database: HistoryDatabase
    private let records = HistoryRecords(.locations)
    /// Current time in milliseconds; the query returns positions received in the last ten minutes.
    private let now = Int64(Date().timeIntervalSince1970 * 1000)

    init() throws { database = try HistoryDatabase() }

    /// Adds a verdict whose fix was received `secondsAgo` before ``now``.
    private func add(
        _ driver: String, _ latitude: Double, _ longitude: Double, secondsAgo: Int64 = 30, verdict: String = "accepted"
    ) {
        records.addVerdict(
            of: driver, verdict: verdict, latitude: latitude, longitude: longitude,
            receivedAt: now - secondsAgo * 1000)
    }

    /// Writes the records, and returns the result of the page's query as driver ids.
    ///
    /// `center` replaces the coordinates in the query.
    private func drivers(near center: String? = nil) throws -> [String] {
        let blocks = try Checkout.text("docs/storage.md").components(separatedBy: "```sql\n").dropFirst()
        let queries = blocks.compactMap { $0.components(separatedBy: "```").first }
            .filter { $0.contains("distance_meters(37.775, -122.418,") }
        try #require(queries.count == 1)
        var query = try #require(queries.first)
        if let center { query = query.replacingOccurrences(of: "37.775, -122.418", with: center) }
        _ = try database.sink().write([records.batch()])
        return try database.lines(query).compactMap { $0.split(separator: "|").first.map(String.init) }
    }

    /// Returns the geohash cells of positions; Redis has one set per cell.
    private func cells(_ positions: [(latitude: Double, longitude: Double)]) -> Set<GeoArea> {
        Set(positions.map { GeoArea(Coordinate(latitude: $0.latitude, longitude: $0.longitude)) })
    }

    @Test("the unchanged query finds drivers on both sides of a cell border, sorted by distance")
    func cellBorder() throws {
        // The border is at 37.793° latitude, 2 km north of the query's coordinates.
        #expect(cells([(37.775, -122.418), (37.7929, -122.418)]).count == 1)
        #expect(cells([(37.7929, -122.418), (37.7931, -122.418)]).count == 2)
        add("across", 37.7931, -122.418)
        add("before", 37.7929, -122.418)
        add("near", 37.776, -122.419)
        add("far", 37.803, -122.418)
        #expect(try drivers() == ["near", "before", "across"])
    }

    @Test("the query finds drivers in four cells around their common corner")
    func cellCorner() throws {
        let positions = [(51.3291, 0.001), (51.3284, -0.0005), (51.3272, 0.0015), (51.3262, -0.003)]
        #expect(cells(positions).count == 4)
        for (driver, position) in zip(["north_east", "north_west", "south_east", "south_west"], positions) {
            add(driver, position.0, position.1)
        }
        add("far", 51.3581, 0)
        #expect(try drivers(near: "51.328125, 0") == ["north_west", "north_east", "south_east", "south_west"])
    }

    @Test("the query uses each driver's last position of the last ten minutes")
    func lastPositions() throws {
        add("leaves", 37.7929, -122.418, secondsAgo: 60)
        add("leaves", 37.803, -122.418)
        add("comes", 37.803, -122.418, secondsAgo: 60)
        add("comes", 37.7931, -122.418)
        add("silent", 37.775, -122.418, secondsAgo: 660)
        add("rejected", 37.775, -122.418, verdict: "rejected")
        #expect(try drivers() == ["comes"])
    }
}
