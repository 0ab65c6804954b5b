import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Polylines")
struct PolylineTests {
    private func decode(_ text: String, precision: Int = 5) -> [Coordinate]? {
        ByteSlice.withBytes(of: text) { Polyline.decode($0, precision: precision) }
    }

    @Test("the published example is decoded and encoded")
    func published() {
        let points = [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)].map {
            Coordinate(latitude: $0.0, longitude: $0.1)
        }
        #expect(decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@") == points)
        #expect(Polyline.encode(points, precision: 5) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@")
    }

    @Test("any track is decoded at its precision", arguments: [5, 6])
    func roundTrip(precision: Int) {
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<200 {
            let points = (0..<Int.random(in: 0...50, using: &generator)).map { _ in
                Coordinate(
                    latitude: generator.decimal(in: -90...90, digits: precision),
                    longitude: generator.decimal(in: -180...180, digits: precision))
            }
            #expect(decode(Polyline.encode(points, precision: precision), precision: precision) == points, "seed 41")
        }
    }

    @Test("points outside the globe are not decoded, and they are clamped on encoding")
    func globe() {
        let corner = [Coordinate(latitude: 90, longitude: -180)]
        let beyond = [Coordinate(latitude: 91, longitude: -181)]
        #expect(decode(Polyline.encode(corner, precision: 5)) == corner)
        #expect(Polyline.encode(beyond, precision: 5) == Polyline.encode(corner, precision: 5))
        // Precision 6 decoded as 5 has ten times the coordinates.
        #expect(decode(Polyline.encode(corner, precision: 6), precision: 5) == nil)
    }

    @Test(
        "longitudes up to 540 degrees are wrapped", arguments: [5, 6],
        [
            (179.99, 179.99), (180, 180), (180.01, -179.99), (-180.01, 179.99), (359.5, -0.5), (-359.5, 0.5),
            (540, 180),
        ])
    func dateLine(precision: Int, longitudes: (written: Double, read: Double)) throws {
        // The encoder clamps longitudes, so larger longitudes are reached in four steps.
        let text = Polyline.encode([Coordinate(latitude: -16.7, longitude: 0)], precision: precision)
        let quarter = Polyline.encode(
            [Coordinate(latitude: 0, longitude: longitudes.written / 4)], precision: precision)
        let points = try #require(decode(text + quarter + quarter + quarter + quarter, precision: precision))
        #expect(points[0] == Coordinate(latitude: -16.7, longitude: 0))
        #expect(abs(points[4].longitude - longitudes.read) < 3e-5 && points[4].latitude == -16.7)
        let read = try #require(
            ByteSlice.withBytes(of: text + quarter + quarter + quarter + quarter) {
                Polyline.read($0, precision: precision)
            })
        #expect(decode(read.polyline) == read.points)
        #expect(read.points.allSatisfy { abs($0.longitude) <= 180 })
    }

    @Test("a longitude beyond 540 degrees is not decoded")
    func beyond() {
        let half = Polyline.encode([Coordinate(latitude: 0, longitude: 180)], precision: 5)
        #expect(decode(half + half + half) != nil)
        let step = Polyline.encode([Coordinate(latitude: 0, longitude: 0.00001)], precision: 5)
        #expect(decode(half + half + half + step) == nil)
    }

    @Test("an empty polyline has no points")
    func empty() {
        #expect(decode("") == [])
        #expect(Polyline.encode([], precision: 5).isEmpty)
    }

    @Test(
        "truncated and invalid polylines are not decoded",
        arguments: [
            "_", "_p~iF", "_p~iF~", "_p~iF~ps|", " ", "é", "_p~iF ~ps|U", String(repeating: "~", count: 500),
            "______________",
        ])
    func malformed(text: String) {
        #expect(decode(text) == nil)
    }

    @Test("random bytes give only valid points or are not decoded")
    func random() {
        var generator = SeededGenerator(seed: 43)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let points = bytes.withUnsafeBytes { Polyline.decode(ByteSlice($0), precision: 5) }
            #expect(points?.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 180 } ?? true, "seed 43")
        }
    }

    @Test("only precisions 5 and 6 are supported", arguments: [4, 5, 6, 7])
    func precisions(precision: Int) {
        #expect((decode("_p~iF~ps|U", precision: precision) != nil) == (precision == 5 || precision == 6))
    }
}
