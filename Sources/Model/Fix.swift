import Support

/// One position as the device reported it, in plain numbers.
///
/// Identifiers stay outside: the state it is judged against belongs to one driver. Copying it allocates nothing.
package struct Fix: Sendable {
    /// The sensor that the device names.
    package enum Source: UInt8, Sendable, CaseIterable {
        case unknown, gps, wifi, cellular, fused
        /// Kept on the device while it was offline and sent later.
        case cached
    }

    /// The platform's device attestation.
    package enum Integrity: UInt8, Sendable, CaseIterable {
        case unknown, passed, failed
    }

    package var coordinate: Coordinate
    /// The 68 % radius that the device reports; `nil` when absent, zero or negative.
    package var accuracyMeters: Double?
    /// Whether the device sent a negative accuracy, by which iOS says that latitude and longitude are invalid.
    package var hasInvalidPosition = false
    /// Whether the device sent an accuracy of exactly 0, which a phone without one and some simulators do.
    package var hasZeroAccuracy = false
    /// Clockwise from north, [0, 360).
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double?
    package var altitudeMeters: Double?
    /// The device's clock at the fix.
    package var deviceAt: Timestamp?
    /// Grows by one for each fix of a session.
    package var sequence: Int64?
    /// ``SessionHash`` of the session id; 0 when there is none.
    package var sessionHash: UInt64 = 0
    /// A stable hash of the fix's own content, to tell a repetition from a reuse of its sequence number.
    package var contentHash: UInt64 = 0
    /// A hash of the id that the app gave the record; 0 when there is none.
    ///
    /// It tells a repetition where there is no sequence.
    package var identityHash: UInt64 = 0
    package var source = Source.unknown
    package var integrity = Integrity.unknown
    package var isMock = false
    /// Whether the device says that it is on a trip; decides the rate allowed.
    package var isOnTrip = false
    /// Whether it came in a batch upload.
    package var isBatched = false

    package init(coordinate: Coordinate) { self.coordinate = coordinate }

    /// Whether it was stored on the device and sent later: rate limits and live order do not apply.
    package var isCached: Bool { isBatched || source == .cached }
}
