/// One fix while it is judged, and the times that go with it.
struct FixContext {
    var fix: Fix
    let receivedAt: Timestamp
    let streamTime: Timestamp
    /// Stream time since the driver's last record, in seconds.
    var elapsedSeconds = 0.0
    /// Device time since the driver's last fix in order.
    var sinceLastMilliseconds: Int64?
    /// The device's time of the fix, or the receipt brought to the device's clock.
    var at: Timestamp
    /// Whether the driver went wrong lately together with others of its area.
    var isDisturbed = false

    /// Device times beyond this many milliseconds from 1970 (285,000 years) are noise, and would overflow.
    private static let maximumMilliseconds: Int64 = 1 << 53

    /// Takes out of `fix` what no device measures, so that nothing after this has to guard against it.
    @inline(__always)
    init(fix: Fix, receivedAt: Timestamp, streamTime: Timestamp) {
        self.fix = fix
        self.receivedAt = receivedAt
        self.streamTime = streamTime
        at = receivedAt
        if let deviceAt = fix.deviceAt, deviceAt.milliseconds.magnitude > Self.maximumMilliseconds {
            self.fix.deviceAt = nil
        }
        if let accuracy = fix.accuracyMeters, !(accuracy > 0 && accuracy < 1e7) {
            self.fix.accuracyMeters = accuracy >= 1e7 ? 1e7 : nil
        }
        if let speed = fix.speedMetersPerSecond, !(speed >= 0 && speed < 1e4) { self.fix.speedMetersPerSecond = nil }
        if let heading = fix.headingDegrees, !(heading >= 0 && heading < 360) { self.fix.headingDegrees = nil }
    }

    /// In range, finite, and not exactly (0, 0).
    @inline(__always)
    var isOnEarth: Bool {
        let latitude = fix.coordinate.latitude
        let longitude = fix.coordinate.longitude
        return latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
            && !(latitude == 0 && longitude == 0)
    }

    /// Receipt minus device time.
    @inline(__always)
    var lagMilliseconds: Int64? { fix.deviceAt.map { receivedAt.milliseconds &- $0.milliseconds } }

    /// The accuracy, or what is assumed where there is none, in metres.
    @inline(__always)
    func accuracyMeters(_ settings: TrackingSettings.Quality) -> Double {
        fix.accuracyMeters ?? settings.unknownAccuracyMeters
    }

    /// When the fix was taken, in the pipeline's time, and never after it was received.
    @inline(__always)
    func fixedAt(_ clock: DriverState.Clock) -> Timestamp {
        guard let deviceAt = fix.deviceAt else { return receivedAt }
        return min(receivedAt, Timestamp(milliseconds: deviceAt.milliseconds &+ clock.known.offsetMilliseconds))
    }
}
