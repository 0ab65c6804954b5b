import Support

/// Distances and directions on a sphere with the Earth's mean radius, within 0.56 % of the WGS84 ellipsoid.
package enum Geodesy {
    /// Mean radius of the WGS84 ellipsoid, (2a + b) / 3, in metres (IUGG).
    package static let earthRadiusMeters = 6_371_008.8

    package static let metersPerDegree = earthRadiusMeters * .pi / 180

    /// Returns the great-circle distance in metres, by the haversine formula, also across the date line.
    @inlinable package static func distanceMeters(from start: Coordinate, to end: Coordinate) -> Double {
        let halfLatitude = Elementary.sin((end.latitude - start.latitude) * .pi / 360)
        let halfLongitude = Elementary.sin((end.longitude - start.longitude) * .pi / 360)
        let across =
            Elementary.cos(start.latitude * .pi / 180) * Elementary.cos(end.latitude * .pi / 180) * halfLongitude
            * halfLongitude
        return 2 * earthRadiusMeters * Elementary.asin(min(1, (halfLatitude * halfLatitude + across).squareRoot()))
    }

    /// Returns the distance in metres; if ``isNearby(_:_:)``, with an error of up to 0.01 % and four times as fast.
    @inlinable package static func nearbyDistanceMeters(from start: Coordinate, to end: Coordinate) -> Double {
        guard isNearby(start, end) else { return distanceMeters(from: start, to: end) }
        return TangentPlane(origin: start).point(of: end).distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
    }

    /// Returns whether the points differ by less than 0.2° per axis, below 70° and not across the date line.
    @inlinable package static func isNearby(_ start: Coordinate, _ end: Coordinate) -> Bool {
        abs(end.latitude - start.latitude) < 0.2 && abs(end.longitude - start.longitude) < 0.2
            && abs(start.latitude) < 70
    }

    /// Returns the initial bearing from `start` to `end`, in degrees, [0, 360); 0 for equal points.
    package static func bearingDegrees(from start: Coordinate, to end: Coordinate) -> Double {
        let startLatitude = start.latitude * .pi / 180
        let endLatitude = end.latitude * .pi / 180
        let longitude = (end.longitude - start.longitude) * .pi / 180
        let east = Elementary.sin(longitude) * Elementary.cos(endLatitude)
        let north =
            Elementary.cos(startLatitude) * Elementary.sin(endLatitude) - Elementary.sin(startLatitude)
            * Elementary.cos(endLatitude) * Elementary.cos(longitude)
        return normalizedHeading(Elementary.atan2(east, north) * 180 / .pi)
    }

    /// Returns the point `distanceMeters` from `start` on the great circle with initial bearing `bearingDegrees`.
    package static func destination(
        from start: Coordinate, bearingDegrees: Double, distanceMeters: Double
    ) -> Coordinate {
        let angle = distanceMeters / earthRadiusMeters
        let bearing = bearingDegrees * .pi / 180
        let latitude = start.latitude * .pi / 180
        let sine =
            Elementary.sin(latitude) * Elementary.cos(angle) + Elementary.cos(latitude) * Elementary.sin(angle)
            * Elementary.cos(bearing)
        let longitude = Elementary.atan2(
            Elementary.sin(bearing) * Elementary.sin(angle) * Elementary.cos(latitude),
            Elementary.cos(angle) - Elementary.sin(latitude) * sine)
        return Coordinate(
            latitude: Elementary.asin(max(-1, min(1, sine))) * 180 / .pi,
            longitude: normalizedLongitude(start.longitude + longitude * 180 / .pi))
    }

    /// Normalizes an angle to [0, 360).
    @inlinable package static func normalizedHeading(_ degrees: Double) -> Double {
        let remainder = degrees.truncatingRemainder(dividingBy: 360)
        let positive = remainder < 0 ? remainder + 360 : remainder
        // A tiny negative angle plus 360 rounds to 360 itself.
        return positive >= 360 ? 0 : positive
    }

    /// Normalizes a longitude to [-180, 180).
    @inlinable package static func normalizedLongitude(_ degrees: Double) -> Double {
        if degrees >= -180, degrees < 180 { return degrees }
        let remainder = (degrees + 180).truncatingRemainder(dividingBy: 360)
        return (remainder < 0 ? remainder + 360 : remainder) - 180
    }
}
