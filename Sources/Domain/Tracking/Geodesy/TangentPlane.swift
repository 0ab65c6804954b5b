/// A flat map around an origin: metres east and north of it.
///
/// Longitudes are scaled by the cosine of the latitude half-way to the point (the mid-latitude formula), so both
/// directions are right to second order: within 20 km of the origin lengths agree with the great circle to 0.01 % at
/// 65° and to 0.1 % at 85°. Differences of longitude take the short way round, across the date line too. Not for points
/// within a few kilometres of a pole.
package struct TangentPlane: Sendable, Equatable {
    /// A position on the plane, in metres from the origin.
    package struct Point: Sendable, Equatable {
        package var east: Double
        package var north: Double

        @inlinable
        package init(east: Double, north: Double) {
            self.east = east
            self.north = north
        }

        /// Distance to `other` in metres.
        @inlinable
        package func distanceMeters(to other: Point) -> Double {
            let eastward = other.east - east
            let northward = other.north - north
            return (eastward * eastward + northward * northward).squareRoot()
        }
    }

    package let origin: Coordinate

    @inlinable
    package init(origin: Coordinate) { self.origin = origin }

    /// Where `coordinate` lies on the plane.
    @inlinable
    package func point(of coordinate: Coordinate) -> Point {
        var longitude = coordinate.longitude - origin.longitude
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        let latitude = coordinate.latitude - origin.latitude
        return Point(
            east: longitude * Geodesy.metersPerDegree * scale(atLatitude: origin.latitude + latitude / 2),
            north: latitude * Geodesy.metersPerDegree)
    }

    /// The coordinate of a point on the plane; the inverse of ``point(of:)``.
    @inlinable
    package func coordinate(of point: Point) -> Coordinate {
        let latitude = point.north / Geodesy.metersPerDegree
        let longitude = point.east / (Geodesy.metersPerDegree * scale(atLatitude: origin.latitude + latitude / 2))
        return Coordinate(
            latitude: max(-90, min(90, origin.latitude + latitude)),
            longitude: Geodesy.normalizedLongitude(origin.longitude + longitude))
    }

    /// East-west metres per metre of the equator; kept off zero so that a pole divides nothing by zero.
    ///
    /// The cosine's Taylor series to the fourteenth power, which is off by less than 1e-10 up to the poles and by 1e-12
    /// up to 70°: a tenth of a millimetre in a thousand kilometres. A fix takes ten of them, and the library's, right
    /// to the last bit, takes three times as long.
    @usableFromInline @inline(__always)
    func scale(atLatitude latitude: Double) -> Double {
        let angle = latitude * (.pi / 180)
        let x = angle * angle
        let xx = x * x
        // In pairs, which do not wait for each other.
        let low = (1 - x * (1 / 2)) + xx * (1 / 24 - x * (1 / 720))
        let high = (1 / 40_320 - x * (1 / 3_628_800)) + xx * (1 / 479_001_600 - x * (1 / 87_178_291_200))
        return max(1e-6, low + xx * xx * high)
    }
}
