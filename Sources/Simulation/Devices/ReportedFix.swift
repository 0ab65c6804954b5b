import Domain
import Support

/// A fix as a device reports it, independent of the format.
package struct ReportedFix: Sendable, Equatable {
    package var coordinate: Coordinate
    /// 68 % radius in metres; 0 for simple mock providers; omitted if `nil`.
    package var accuracyMeters: Double?
    /// Clockwise from north, [0, 360).
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double?
    package var altitudeMeters: Double?
    /// Time of the device's clock.
    package var deviceAt: Timestamp
    package var sequence: Int64
    /// Empty if the device sends no session id.
    package var sessionID: String
    package var tripID: String?
    package var source = Fix.Source.gps
    package var isMock = false
    package var integrity = Fix.Integrity.unknown
    package var batteryPercent: Int?
    package var isCharging = false
    package var occupancyPercent: Int?
    /// The `id` of the mobile format.
    package var identifier: UInt128 = 0

    package init(coordinate: Coordinate, deviceAt: Timestamp, sequence: Int64, sessionID: String) {
        self.coordinate = coordinate
        self.deviceAt = deviceAt
        self.sequence = sequence
        self.sessionID = sessionID
    }
}
