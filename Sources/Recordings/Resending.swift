import Model
import Support

/// What is changed of a recording that is sent once more, so that it is another drive and not the same one again.
///
/// A driver who sends the same times, sequence numbers or positions again is what the judge takes for a forger.
package struct Resending: Equatable, Sendable {
    /// Added to every time.
    package var shiftMilliseconds: Int64 = 0
    /// Appended to the ids of sessions and messages with a hyphen; empty leaves them.
    package var sessionTag = ""
    /// Added to every latitude, in degrees.
    package var latitudeShift = 0.0
    /// Added to every longitude, in degrees.
    package var longitudeShift = 0.0

    /// The furthest that a position is moved in either direction, in degrees: 5 m of latitude.
    private static let furthestShift = 4.5e-5
    /// The least: more than the metre up to which two positions are the same to ``Tracking/ReplayedTrackRule``.
    private static let leastShift = 1.5e-5
    private static let longestID = 128

    package init() {}

    /// A tag for what is sent from `now` on: one that no other millisecond has.
    package static func tag(of now: Timestamp) -> String { String(now.milliseconds, radix: 36) }

    /// Moves all positions by the same few metres, which follow from `now`.
    package mutating func movePositions(by now: Timestamp) {
        // Two numbers in [0, 1) that differ from one millisecond to the next: the golden ratio and the plastic number.
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

    /// The id of a session or message.
    package func id(_ id: String) -> String {
        guard !sessionTag.isEmpty else { return id }
        let room = Self.longestID - sessionTag.utf8.count - 1
        return "\(String(decoding: id.utf8.prefix(room), as: UTF8.self))-\(sessionTag)"
    }

    /// A position; one that would leave the globe stays.
    package func coordinate(_ coordinate: Coordinate) -> Coordinate {
        Coordinate(latitude: latitude(coordinate.latitude), longitude: longitude(coordinate.longitude))
    }

    package func latitude(_ value: Double) -> Double { Self.moved(value, by: latitudeShift, limit: 90) }

    package func longitude(_ value: Double) -> Double { Self.moved(value, by: longitudeShift, limit: 180) }

    private static func moved(_ value: Double, by shift: Double, limit: Double) -> Double {
        guard shift != 0, abs(value) <= limit, abs(value + shift) <= limit else { return value }
        return rounded(value + shift)
    }

    /// To 1 cm, as precise as phones report.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
}
