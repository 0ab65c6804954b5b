import Testing

@testable import Domain
@testable import Evaluation
@testable import Support

struct TrackOnRouteTests {
    private static let plane = TangentPlane(origin: Coordinate(latitude: 49.9, longitude: 8.6))

    private static func place(_ east: Double, _ north: Double) -> Coordinate {
        plane.coordinate(of: TangentPlane.Point(east: east, north: north))
    }

    private static func fix(_ second: Double, _ east: Double, _ north: Double) -> (
        at: Timestamp, coordinate: Coordinate
    ) {
        (Timestamp(milliseconds: Int64(second * 1000)), place(east, north))
    }

    @Test("A passage is interpolated between the fixes around it")
    func interpolation() throws {
        let track = try #require(
            TrackOnRoute(
                route: [Self.place(0, 0), Self.place(2000, 0)],
                fixes: [Self.fix(0, 100, 8), Self.fix(30, 400, -8), Self.fix(60, 700, 8)]))
        let passed = try #require(track.passage(at: 250))
        #expect(abs(passed.seconds(since: Timestamp(milliseconds: 0)) - 15) < 0.1)
        #expect(track.passage(at: 50) == nil)
        #expect(track.passage(at: 750) == nil)
    }

    @Test("Fixes up to 120 s apart give a passage", arguments: [(120.0, true), (120.1, false)])
    func bracket(seconds: Double, isKnown: Bool) throws {
        let track = try #require(
            TrackOnRoute(
                route: [Self.place(0, 0), Self.place(2000, 0)], fixes: [Self.fix(0, 100, 0), Self.fix(seconds, 900, 0)])
        )
        #expect((track.passage(at: 500) != nil) == isKnown)
    }

    @Test("On an out-and-back street both passages have their times")
    func outAndBack() throws {
        let route = [Self.place(0, 0), Self.place(1000, 0), Self.place(1000, 20), Self.place(0, 20)]
        let fixes = stride(from: 0.0, through: 2000, by: 100).map { meters in
            meters <= 1000 ? Self.fix(meters / 10, meters, 10) : Self.fix(meters / 10, 2000 - meters, 10)
        }
        let track = try #require(TrackOnRoute(route: route, fixes: fixes))
        let out = try #require(track.passage(at: 500))
        let back = try #require(track.passage(at: 1520))
        #expect(abs(out.seconds(since: fixes[0].at) - 50) < 5)
        #expect(abs(back.seconds(since: fixes[0].at) - 150) < 5)
    }

    @Test("A vehicle that waits just before a stop passes the stop when it drives on")
    func waiting() throws {
        let fixes = [Self.fix(0, 0, 0), Self.fix(30, 300, 0), Self.fix(60, 302, 0), Self.fix(90, 298, 0)]
        let track = try #require(
            TrackOnRoute(route: [Self.place(0, 0), Self.place(900, 0)], fixes: fixes + [Self.fix(120, 600, 0)]))
        let passed = try #require(track.passage(at: 310))
        #expect((90...95).contains(passed.seconds(since: fixes[0].at)))
    }

    @Test("Fixes far from the route are ignored")
    func offRoute() throws {
        let track = try #require(
            TrackOnRoute(route: [Self.place(0, 0), Self.place(900, 0)], fixes: [Self.fix(0, 100, 400)]))
        #expect(track.places.isEmpty)
        #expect(TrackOnRoute(route: [Self.place(0, 0)], fixes: []) == nil)
    }
}
