import Model
import Support

/// One record of `driver.locations`.
///
/// The slices are valid until the reader's next call.
package struct VerdictRecord {
    /// What the device said.
    package struct Raw {
        package var coordinate: Coordinate
        /// 0 where the device sent exactly that; see ``Fix/hasZeroAccuracy``.
        package var accuracyMeters: Double?
        package var headingDegrees: Double?
        package var speedMetersPerSecond: Double?
        package var altitudeMeters: Double?
        /// `nil` where it is not known.
        package var integrity: Fix.Integrity?
        /// `nil` where it is not known.
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
    /// Empty when there is none.
    package var sessionID: ByteSlice
    /// The trip that the device says it is on; empty when there is none.
    package var tripID: ByteSlice
    package var sequence: Int64?
    package var verdict: Verdict
    package var reasons: Reasons
    /// In [0, 1].
    package var risk: Double
    /// The signals that the risk is from, three at most; empty while it is small.
    package var riskSignals: Signals = []
    /// Present when `verdict` is ``Verdict/accepted``, and when it is ``Verdict/throttled`` and the fix was judged.
    package var estimate: Estimate?
    package var raw: Raw
    package var deviceAt: Timestamp?
    package var fixedAt: Timestamp
    package var receivedAt: Timestamp
    package var batteryPercent: Int?
    package var occupancyPercent: Int?
    /// The rest of what the device said; its accuracies and mock flag stand in `raw` on the wire.
    package var report = DeviceReport()
    /// The verdict on a later fix of the same upload follows.
    package var isFollowed = false
}
