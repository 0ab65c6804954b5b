@testable import Model
@testable import SpoofDetection
@testable import Support

/// A driver under test: sends fixes to a judge, east and north of a place, and keeps the state between them.
final class TestDriver {
    static let start = Timestamp(milliseconds: 1_741_977_135_000)

    var judge: SpoofDetector
    var state = DriverState()
    var tracks = TrackMemory()
    var plane = TangentPlane(origin: Coordinate(latitude: 37.7751, longitude: -122.4183))
    /// What the next fixes carry unless told otherwise.
    var template = Fix(coordinate: Coordinate(latitude: 0, longitude: 0))
    private var sent: UInt64 = 0

    init(_ settings: TrackingSettings = JudgedTrace.unlimited) {
        judge = SpoofDetector(settings: settings)
        template.accuracyMeters = 5
    }

    /// A fix `seconds` after the start, at a place in metres from the origin.
    func fix(_ east: Double, _ north: Double = 0, at seconds: Double, sequence: Int64? = nil) -> Fix {
        var fix = template
        fix.coordinate = plane.coordinate(of: TangentPlane.Point(east: east, north: north))
        fix.deviceAt = Self.start.advanced(bySeconds: seconds)
        fix.sequence = sequence
        sent += 1
        fix.contentHash = sent &* 0x9e37_79b9_7f4a_7c15
        return fix
    }

    /// Judges `fix`; received when the device took it unless told otherwise.
    func judge(_ fix: Fix, receivedAt seconds: Double? = nil) -> VerdictResult {
        let receivedAt = seconds.map { Self.start.advanced(bySeconds: $0) } ?? fix.deviceAt ?? Self.start
        return judge.judge(
            fix, receivedAt: receivedAt, streamTime: max(receivedAt, state.seenAt), state: &state, tracks: &tracks)
    }

    /// Judges a fix at a place and time.
    @discardableResult
    func send(_ east: Double, _ north: Double = 0, at seconds: Double, sequence: Int64? = nil) -> VerdictResult {
        judge(fix(east, north, at: seconds, sequence: sequence))
    }

    /// Drives east at 10 m/s for `seconds` from second 0, a fix a second, which is longer than any grace.
    func drive(for seconds: Int) {
        for second in 0..<seconds {
            // A receiver's altitude and accuracy are never constant.
            template.altitudeMeters = 15 + Double(second % 7)
            send(Double(second) * 10, at: Double(second))
        }
        template.altitudeMeters = nil
    }
}
