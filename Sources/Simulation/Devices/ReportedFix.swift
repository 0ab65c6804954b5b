import Model
import Support

/// One fix as a device reports it, before it is written in the device's dialect.
package struct ReportedFix: Sendable, Equatable {
    package var coordinate: Coordinate
    /// The 68 % radius; 0 is what cheap mock providers say; `nil` leaves it out.
    package var accuracyMeters: Double?
    /// Clockwise from north, [0, 360).
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double?
    package var altitudeMeters: Double?
    /// By the device's own clock.
    package var deviceAt: Timestamp
    package var sequence: Int64
    /// Empty for a device that sends none.
    package var sessionID: String
    /// The trip that the device says it is on.
    package var tripID: String?
    package var source: Fix.Source
    package var isMock: Bool
    package var integrity: Fix.Integrity
    package var batteryPercent: Int?
    package var isCharging: Bool
    package var occupancyPercent: Int?
    /// The `id` of the mobile dialect.
    package var identifier: UInt128

    package init(coordinate: Coordinate, deviceAt: Timestamp, sequence: Int64, sessionID: String) {
        self.coordinate = coordinate
        self.deviceAt = deviceAt
        self.sequence = sequence
        self.sessionID = sessionID
        source = .gps
        isMock = false
        integrity = .unknown
        isCharging = false
        identifier = 0
    }
}
