@testable import Domain
@testable import Support

/// A driver under test, who sends fixes at positions in metres to a detector and keeps the state.
final class TestDriver {
    static let start = Timestamp(milliseconds: 1_741_977_135_000)

    var detector: SpoofDetector
    var state = DriverState()
    var tracks = TrackMemory()
    var plane = TangentPlane(origin: Coordinate(latitude: 37.7751, longitude: -122.4183))
    /// Values that the next fixes copy.
    var template = Fix(coordinate: Coordinate(latitude: 0, longitude: 0))
    private var sent: UInt64 = 0

    init(_ settings: TrackingSettings = .unlimited) {
        detector = SpoofDetector(settings: settings)
        template.accuracyMeters = 5
    }

    /// Returns a fix `seconds` after the start, at a position in metres from the origin.
    func fix(_ east: Double, _ north: Double = 0, at seconds: Double, sequence: Int64? = nil) -> Fix {
        var fix = template
        fix.coordinate = plane.coordinate(of: TangentPlane.Point(east: east, north: north))
        fix.deviceAt = Self.start.advanced(bySeconds: seconds)
        fix.sequence = sequence
        sent += 1
        fix.contentHash = sent &* 0x9e37_79b9_7f4a_7c15
        return fix
    }

    /// Evaluates `fix`, by default received at its device time.
    func evaluate(_ fix: Fix, receivedAt seconds: Double? = nil) -> VerdictResult {
        let receivedAt = seconds.map { Self.start.advanced(bySeconds: $0) } ?? fix.deviceAt ?? Self.start
        return detector.evaluate(
            fix, receivedAt: receivedAt, streamTime: max(receivedAt, state.seenAt), state: &state, tracks: &tracks)
    }

    /// Evaluates a fix at a position and time.
    @discardableResult
    func send(_ east: Double, _ north: Double = 0, at seconds: Double, sequence: Int64? = nil) -> VerdictResult {
        evaluate(fix(east, north, at: seconds, sequence: sequence))
    }

    /// Drives east at 10 m/s for `seconds`, with one fix per second.
    func drive(for seconds: Int) {
        for second in 0..<seconds {
            // A receiver's altitude is never constant.
            template.altitudeMeters = 15 + Double(second % 7)
            send(Double(second) * 10, at: Double(second))
        }
        template.altitudeMeters = nil
    }
}

extension TrackingSettings {
    static var unlimited: TrackingSettings {
        var settings = TrackingSettings()
        settings.rate.isLimited = false
        return settings
    }
}
