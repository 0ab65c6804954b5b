import Domain
import Support

/// Encoded polylines (Google Maps Platform, "Encoded Polyline Algorithm Format").
package enum Polyline {
    /// Returns whether `precision` is 5 (Google, OSRM) or 6 (Valhalla, OSRM `polyline6`).
    package static func isSupported(precision: Int) -> Bool { precision == 5 || precision == 6 }

    /// Decodes the points of a polyline; wraps longitudes of up to ±540°, which routes across the date line have.
    ///
    /// - Returns: `nil` if the text is truncated, has invalid characters, or has a point outside the globe.
    package static func decode(_ text: ByteSlice, precision: Int) -> [Coordinate]? {
        points(of: text, precision: precision)?.points
    }

    private static func points(of text: ByteSlice, precision: Int) -> (points: [Coordinate], passesDateLine: Bool)? {
        guard isSupported(precision: precision) else { return nil }
        let scale = precision == 5 ? 1e5 : 1e6
        let (limits, fullCircle) = ((latitude: Int64(90 * scale), longitude: Int64(180 * scale)), Int64(360 * scale))
        var points: [Coordinate] = []
        var passesDateLine = false
        points.reserveCapacity(text.count / 6 + 1)
        var cursor = 0
        var latitude: Int64 = 0
        var longitude: Int64 = 0
        while cursor < text.count {
            guard let north = difference(text, &cursor), let east = difference(text, &cursor) else { return nil }
            latitude += north
            longitude += east
            guard abs(latitude) <= limits.latitude, abs(longitude) <= limits.longitude + fullCircle else { return nil }
            var normal = longitude
            if abs(longitude) > limits.longitude {
                normal -= longitude.signum() * fullCircle
                passesDateLine = true
            }
            points.append(Coordinate(latitude: Double(latitude) / scale, longitude: Double(normal) / scale))
        }
        return (points, passesDateLine)
    }

    /// Converts a polyline to precision 5, which all riders get, and returns it with its points.
    ///
    /// - Returns: `nil` if ``decode(_:precision:)`` fails; `text` itself if no conversion is needed.
    static func read(_ text: ByteSlice, precision: Int) -> (polyline: String, points: [Coordinate])? {
        guard let (points, passesDateLine) = points(of: text, precision: precision) else { return nil }
        guard precision != 5 || passesDateLine else { return (text.string, points) }
        let polyline = encode(points, precision: 5)
        return ByteSlice.withBytes(of: polyline) { decode($0, precision: 5) }.map { (polyline, $0) }
    }

    /// Encodes points; coordinates outside the globe are clamped.
    package static func encode(_ points: [Coordinate], precision: Int) -> String {
        precondition(isSupported(precision: precision), "A polyline's precision must be 5 or 6.")
        let scale = precision == 5 ? 1e5 : 1e6
        var bytes: [UInt8] = []
        bytes.reserveCapacity(points.count * 8)
        var previous = (latitude: Int64(0), longitude: Int64(0))
        for point in points {
            let latitude = Int64((min(max(point.latitude, -90), 90) * scale).rounded())
            let longitude = Int64((min(max(point.longitude, -180), 180) * scale).rounded())
            append(latitude - previous.latitude, to: &bytes)
            append(longitude - previous.longitude, to: &bytes)
            previous = (latitude, longitude)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads one signed number; `nil` if it is truncated, longer than 35 bits, or has invalid characters.
    private static func difference(_ text: ByteSlice, _ cursor: inout Int) -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while cursor < text.count, shift < 35 {
            let group = text[cursor] &- 63
            guard group < 64 else { return nil }
            cursor += 1
            value |= UInt64(group & 31) << shift
            if group < 32 { return Int64(value >> 1) ^ -Int64(value & 1) }
            shift += 5
        }
        return nil
    }

    private static func append(_ difference: Int64, to bytes: inout [UInt8]) {
        var value = UInt64(bitPattern: difference << 1 ^ difference >> 63)
        while value >= 32 {
            bytes.append(UInt8(value & 31 | 32) + 63)
            value >>= 5
        }
        bytes.append(UInt8(value) + 63)
    }
}
