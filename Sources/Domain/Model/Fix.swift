import Support

/// One position as the device reported it, without ids; copying it allocates nothing.
package struct Fix: Sendable, Equatable {
    /// Position source as reported by the device.
    package enum Source: UInt8, Sendable, CaseIterable {
        case unknown, gps, wifi, cellular, fused
        /// Stored on the device while it was offline, and sent later.
        case cached
        package static let codes: [StaticString] = ["unknown", "gps", "wifi", "cellular", "fused", "cached"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package enum Integrity: UInt8, Sendable, CaseIterable {
        case unknown, passed, failed
        package static let codes: [StaticString] = ["UNKNOWN", "PASSED", "FAILED"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package var coordinate: Coordinate
    /// The reported 68 % radius; `nil` if absent, zero or negative.
    package var accuracyMeters: Double?
    /// Whether the accuracy is negative, which on iOS means that latitude and longitude are invalid.
    package var hasInvalidPosition = false
    /// Whether the accuracy is exactly 0, which phones without a value and some simulators send.
    package var hasZeroAccuracy = false
    /// Degrees clockwise from north, [0, 360).
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double?
    package var altitudeMeters: Double?
    package var deviceAt: Timestamp?
    /// Number of the fix in its session, one more than the number of the previous fix.
    package var sequence: Int64?
    /// Hash of the session id, equal on every machine; 0 only if the id is absent.
    package var sessionHash: UInt64 = 0
    /// Stable hash of the content, which distinguishes a repeated fix from a reused sequence number.
    package var contentHash: UInt64 = 0
    /// Hash of the record id set by the app, 0 if absent; detects repeated fixes that have no sequence number.
    package var identityHash: UInt64 = 0
    package var source = Source.unknown
    package var integrity = Integrity.unknown
    package var isMock = false
    /// Whether the device reports a trip, which raises its rate limit.
    package var isOnTrip = false
    package var isBatched = false

    package init(coordinate: Coordinate) { self.coordinate = coordinate }

    /// Whether the device stored the fix and sent it later, exempt from rate limits and the limit of old times.
    package var isCached: Bool { isBatched || source == .cached }
}
