import Domain
import Support

/// Changes to a recording that is sent again, so that it counts as another drive.
///
/// Without these changes, spoof detection would report repeated times, sequence numbers or positions as a replay.
package struct ReplayTransform: Equatable, Sendable {
    /// Shift of every time.
    package var shiftMilliseconds: Int64 = 0
    /// Suffix of session and message ids, after a hyphen; if empty, the ids do not change.
    package var sessionTag = ""
    /// Shift of every latitude, in degrees.
    package var latitudeShift = 0.0
    /// Shift of every longitude, in degrees.
    package var longitudeShift = 0.0

    /// Maximum shift in either direction, in degrees: 5 m of latitude.
    private static let furthestShift = 4.5e-5
    /// Minimum shift, in degrees: 15 of the cells in which the replayed-track rule compares positions.
    private static let leastShift = 1.5e-5
    private static let longestID = 128

    package init() {}

    /// Returns a tag that is unique for each millisecond.
    package static func tag(of now: Timestamp) -> String { String(now.milliseconds, radix: 36) }

    /// Sets a shift of a few metres for all positions, derived from `now`.
    package mutating func movePositions(by now: Timestamp) {
        // The additive recurrence of the plastic number distributes successive milliseconds well in both axes.
        func spread(_ step: Double) -> Double {
            (Double(now.milliseconds % 1_000_000) * step).truncatingRemainder(dividingBy: 1)
        }
        func shift(_ fraction: Double) -> Double {
            let width = Self.furthestShift - Self.leastShift
            return fraction < 0.5
                ? -Self.leastShift - width * fraction * 2 : Self.leastShift + width * (fraction * 2 - 1)
        }
        latitudeShift = Self.rounded(shift(spread(0.754_877_666_246_693)))
        longitudeShift = Self.rounded(shift(spread(0.569_840_290_998_053)))
    }

    /// Appends the session tag to a session or message id, which is truncated to fit 128 bytes.
    package func id(_ id: String) -> String {
        guard !sessionTag.isEmpty else { return id }
        let kept = Self.longestID - sessionTag.utf8.count - 1
        return "\(String(decoding: id.utf8.prefix(kept), as: UTF8.self))-\(sessionTag)"
    }

    /// Moves a position; a latitude or longitude that would leave its range stays the same.
    package func coordinate(_ coordinate: Coordinate) -> Coordinate {
        Coordinate(latitude: latitude(coordinate.latitude), longitude: longitude(coordinate.longitude))
    }

    package func latitude(_ value: Double) -> Double { Self.moved(value, by: latitudeShift, limit: 90) }

    package func longitude(_ value: Double) -> Double { Self.moved(value, by: longitudeShift, limit: 180) }

    private static func moved(_ value: Double, by shift: Double, limit: Double) -> Double {
        guard shift != 0, abs(value) <= limit, abs(value + shift) <= limit else { return value }
        return rounded(value + shift)
    }

    /// Rounds to 1 cm, the resolution of phones.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
}
