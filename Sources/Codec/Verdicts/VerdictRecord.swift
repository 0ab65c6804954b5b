import Domain
import Support

/// One record of `driver.locations`.
///
/// The slices are valid until the next call to the reader.
package struct VerdictRecord {
    /// Values that the device reported.
    package struct Raw {
        package var coordinate: Coordinate
        /// In metres; 0 if the device sent 0, see ``Model/Fix/hasZeroAccuracy``.
        package var accuracyMeters: Double?
        package var headingDegrees: Double?
        package var speedMetersPerSecond: Double?
        package var altitudeMeters: Double?
        package var integrity: Fix.Integrity?
        package var source: Fix.Source?

        package init(coordinate: Coordinate) { self.coordinate = coordinate }

        init(_ fix: Fix) {
            coordinate = fix.coordinate
            accuracyMeters = fix.accuracyMeters ?? (fix.hasZeroAccuracy ? 0 : nil)
            headingDegrees = fix.headingDegrees
            speedMetersPerSecond = fix.speedMetersPerSecond
            altitudeMeters = fix.altitudeMeters
            integrity = fix.integrity == .unknown ? nil : fix.integrity
            source = fix.source == .unknown ? nil : fix.source
        }
    }

    package var eventID: EventID
    package var driverID: ByteSlice
    /// Empty if absent.
    package var sessionID: ByteSlice
    /// The trip that the device reports; empty if absent.
    package var tripID: ByteSlice
    package var sequence: Int64?
    package var verdict: Verdict
    package var reasons: Reasons
    /// In [0, 1].
    package var risk: Double
    /// The main signals behind the risk, at most three; empty while the risk is small.
    package var riskSignals: Signals = []
    /// Present if `verdict` is ``Model/Verdict/accepted``, or ``Model/Verdict/throttled`` and the fix was evaluated.
    package var estimate: Estimate?
    package var raw: Raw
    package var deviceAt: Timestamp?
    package var fixedAt: Timestamp
    package var receivedAt: Timestamp
    package var batteryPercent: Int?
    package var occupancyPercent: Int?
    /// Further values that the device reported; in JSON, the accuracies and the mock flag are members of `raw`.
    package var report = DeviceReport()
    /// Whether a verdict on a later fix of the same batch follows.
    package var hasLaterFix = false
}
