import Glibc
import Testing

@testable import Domain

@Suite struct GeodesyTests {
    private static let places = [
        Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 37.7751, longitude: -122.4183),
        Coordinate(latitude: 65.01, longitude: 25.47), Coordinate(latitude: -16.5, longitude: 179.99),
        Coordinate(latitude: 78.22, longitude: 15.6), Coordinate(latitude: -33.9, longitude: -179.995),
    ]

    @Test("a degree of latitude is 111.195 km on the mean sphere")
    func degreeOfLatitude() {
        let distance = Geodesy.distanceMeters(
            from: Coordinate(latitude: 10, longitude: 5), to: Coordinate(latitude: 11, longitude: 5))
        #expect(abs(distance - 111_195.08) < 0.1)
    }

    @Test("distances across the date line are short")
    func dateLine() {
        let distance = Geodesy.distanceMeters(
            from: Coordinate(latitude: 0, longitude: 179.9995), to: Coordinate(latitude: 0, longitude: -179.9995))
        #expect(abs(distance - 111.195) < 0.01)
    }

    @Test("antipodes are half the circumference apart")
    func antipodes() {
        let distance = Geodesy.distanceMeters(
            from: Coordinate(latitude: 45, longitude: 0), to: Coordinate(latitude: -45, longitude: 180))
        #expect(abs(distance - Geodesy.earthRadiusMeters * .pi) < 1)
    }

    @Test("a destination is at the given distance and bearing", arguments: places)
    func destination(from start: Coordinate) {
        for bearing in stride(from: 0.0, to: 360, by: 22.5) {
            for distance in [0.5, 100, 5_000, 200_000] {
                let end = Geodesy.destination(from: start, bearingDegrees: bearing, distanceMeters: distance)
                #expect(abs(Geodesy.distanceMeters(from: start, to: end) - distance) < 1e-6 * distance + 1e-4)
                let actual = Geodesy.bearingDegrees(from: start, to: end)
                #expect(abs(Geodesy.normalizedLongitude(actual - bearing)) < 0.01)
                #expect(end.longitude >= -180 && end.longitude < 180)
            }
        }
    }

    @Test("bearings to north, east, south and west are 0°, 90°, 180° and 270°")
    func cardinalDirections() {
        let start = Coordinate(latitude: 0, longitude: 0)
        #expect(Geodesy.bearingDegrees(from: start, to: Coordinate(latitude: 1, longitude: 0)) == 0)
        #expect(abs(Geodesy.bearingDegrees(from: start, to: Coordinate(latitude: 0, longitude: 1)) - 90) < 1e-9)
        #expect(abs(Geodesy.bearingDegrees(from: start, to: Coordinate(latitude: -1, longitude: 0)) - 180) < 1e-9)
        #expect(abs(Geodesy.bearingDegrees(from: start, to: Coordinate(latitude: 0, longitude: -1)) - 270) < 1e-9)
        #expect(Geodesy.bearingDegrees(from: start, to: start) == 0)
    }

    @Test(
        "headings are normalized to [0, 360)",
        arguments: [(-1e-20, 0.0), (-90, 270), (360, 0), (359.5, 359.5), (725, 5), (-725, 355)])
    func headings(degrees: Double, expected: Double) {
        #expect(Geodesy.normalizedHeading(degrees) == expected)
    }

    @Test(
        "longitudes are normalized to [-180, 180)",
        arguments: [(180.0, -180.0), (-180, -180), (190, -170), (-541, 179)])
    func longitudes(degrees: Double, expected: Double) {
        #expect(Geodesy.normalizedLongitude(degrees) == expected)
    }

    @Test(
        "the plane agrees with the great circle to 0.02 %, at high latitudes and across the date line",
        arguments: places)
    func plane(around origin: Coordinate) {
        let plane = TangentPlane(origin: origin)
        for bearing in stride(from: 0.0, to: 360, by: 30) {
            for distance in [1.0, 300, 20_000] {
                let end = Geodesy.destination(from: origin, bearingDegrees: bearing, distanceMeters: distance)
                let point = plane.point(of: end)
                let length = point.distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
                #expect(abs(length - distance) < 2e-4 * distance)
            }
        }
    }

    @Test("converting a point to a coordinate and back is exact to 0.1 mm", arguments: places)
    func roundTrip(around origin: Coordinate) {
        let plane = TangentPlane(origin: origin)
        for east in stride(from: -20_000.0, through: 20_000, by: 4_000) {
            for north in stride(from: -20_000.0, through: 20_000, by: 4_000) {
                let back = plane.point(of: plane.coordinate(of: TangentPlane.Point(east: east, north: north)))
                #expect(abs(back.east - east) < 1e-4 && abs(back.north - north) < 1e-4)
            }
        }
    }

    @Test("the scale of a tangent plane is the cosine of its latitude to 1e-10, except at the poles")
    func scale() {
        for tenth in -899...899 {
            let latitude = Double(tenth) / 10
            let scale = TangentPlane(origin: Coordinate(latitude: latitude, longitude: 0)).scale(atLatitude: latitude)
            #expect(abs(scale - cos(latitude * .pi / 180)) < 1e-10)
        }
        #expect(TangentPlane(origin: Coordinate(latitude: 90, longitude: 0)).scale(atLatitude: 90) == 1e-6)
    }

    @Test("the direction of a heading is its sine and cosine to 2e-9")
    func direction() {
        for tenth in 0..<3600 {
            let direction = Direction(headingDegrees: Double(tenth) / 10)
            let angle = Double(tenth) / 10 * .pi / 180
            #expect(abs(direction.east - sin(angle)) < 2e-9 && abs(direction.north - cos(angle)) < 2e-9)
        }
        #expect(abs(Direction(headingDegrees: 360.0.nextDown).east) < 2e-9)
    }

    @Test("halfAwayFromZero, truncated, is the nearest integer")
    func rounding() {
        for value in [0, 0.4, 0.5, 0.6, 1.5, 12_345.49, 2e9 + 0.5] {
            #expect(Int(value.halfAwayFromZero) == Int(value.rounded()))
            #expect(Int((-value).halfAwayFromZero) == Int((-value).rounded()))
        }
    }
}
