import TestSupport
import Testing

@testable import Domain

@Suite struct RouteGeometryTests {
    @Test("a line needs two different points")
    func degenerate() {
        #expect(RouteGeometry(points: []) == nil)
        #expect(RouteGeometry(points: [Town.place(0, 0)]) == nil)
        #expect(RouteGeometry(points: [Town.place(0, 0), Town.place(0, 0)]) == nil)
        #expect(RouteGeometry(points: [Town.place(0, 0), Town.place(0, 5)]) != nil)
    }

    @Test("length is the sum of the great-circle distances")
    func length() throws {
        let geometry = try #require(RouteGeometry(points: Town.line([(0, 0), (1000, 0), (1000, 500)])))
        #expect(abs(geometry.lengthMeters - 1500) < 0.5)
        let middle = geometry.coordinate(at: 1250)
        #expect(Geodesy.distanceMeters(from: middle, to: Town.place(1000, 250)) < 1)
    }

    @Test("a route across the date line has the right length and matches positions beyond it")
    func dateLine() throws {
        let points = stride(from: 179.98, through: 180.02, by: 0.002).map {
            Coordinate(latitude: -17, longitude: Geodesy.normalizedLongitude($0))
        }
        let geometry = try #require(RouteGeometry(points: points))
        #expect(abs(geometry.lengthMeters - 4253) < 20)
        let beyond = Coordinate(latitude: -17, longitude: -179.99)
        let hit = geometry.nearest(RouteProbe(coordinate: beyond, headingDegrees: nil, on: geometry))
        #expect(hit.distanceMeters < 1)
        #expect(abs(hit.alongMeters - geometry.lengthMeters * 0.75) < 2)
    }

    @Test("the search with blocks gives the same result as a search of all segments")
    func blocks() throws {
        let seed: UInt64 = 0x51_6e_a1
        var random = SeededGenerator(seed: seed)
        var corners: [(Double, Double)] = [(0, 0)]
        for _ in 0..<60 {
            corners.append((.random(in: -2000...2000, using: &random), .random(in: -2000...2000, using: &random)))
        }
        let geometry = try #require(RouteGeometry(points: Town.line(corners)))
        for _ in 0..<300 {
            let place = Town.place(.random(in: -2500...2500, using: &random), .random(in: -2500...2500, using: &random))
            var probe = RouteProbe(
                coordinate: place, headingDegrees: .random(in: 0..<360, using: &random), on: geometry)
            probe.headingCostMeters = 80
            var best = RouteHit.none
            for index in 0..<geometry.segmentCount {
                let range = geometry.vertices[index].alongMeters...geometry.vertices[index + 1].alongMeters
                let hit = geometry.nearest(probe, within: range)
                if hit.cost < best.cost { best = hit }
            }
            #expect(abs(geometry.nearest(probe).cost - best.cost) < 1e-9, "seed \(seed)")
        }
    }

    @Test("the order of stops determines their pass of an out-and-back street")
    func outAndBack() throws {
        let geometry = try #require(RouteGeometry(points: Town.line([(0, 0), (2000, 0), (0, 0)])))
        let stops = [(500.0, 5.0), (1500, 5), (1500, -5), (500, -5), (0, 0)].map { Town.place($0.0, $0.1) }
        let offsets = geometry.project(stops: stops)
        for (offset, expected) in zip(offsets, [500.0, 1500, 2500, 3500, 4000]) { #expect(abs(offset - expected) < 2) }
    }

    @Test("the first and the last stop of a loop are at its ends")
    func loop() throws {
        let geometry = try #require(
            RouteGeometry(points: Town.line([(0, 0), (1000, 0), (1000, 1000), (0, 1000), (0, 0)])))
        let offsets = geometry.project(stops: [Town.place(0, 0), Town.place(1000, 1000), Town.place(0, 0)])
        #expect(abs(offsets[0]) < 2)
        #expect(abs(offsets[1] - 2000) < 2)
        #expect(abs(offsets[2] - 4000) < 2)
    }

    @Test("stops out of order or far from the route have ascending offsets")
    func disorder() throws {
        let geometry = try #require(RouteGeometry(points: Town.line([(0, 0), (3000, 0)])))
        let stops = [(2000.0, 0.0), (500, 0), (1500, 900), (2500, 0)].map { Town.place($0.0, $0.1) }
        let offsets = geometry.project(stops: stops)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(abs((offsets.last ?? 0) - 2500) < 2)
    }
}
