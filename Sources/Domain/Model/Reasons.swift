/// Reason codes of a verdict, and remarks on an accepted fix.
package struct Reasons: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Latitude and longitude are both 0, as sent by a device without a position, or out of range.
    package static let nullIsland = Reasons(rawValue: 1 << 0)
    /// The sequence number was used before with other content.
    package static let sequenceReplay = Reasons(rawValue: 1 << 1)
    /// Device time too far from the receipt time, or receipt time too far ahead of stream time.
    package static let clockSkew = Reasons(rawValue: 1 << 2)
    package static let rateLimited = Reasons(rawValue: 1 << 3)
    /// The reported accuracy radius exceeds the maximum.
    package static let lowAccuracy = Reasons(rawValue: 1 << 4)
    /// Faster than any vehicle, after allowing for clock jitter and accuracy.
    package static let impossibleSpeed = Reasons(rawValue: 1 << 5)
    /// ``impossibleSpeed`` over more than the teleportation distance.
    package static let teleportation = Reasons(rawValue: 1 << 6)
    /// The platform reports a mock location provider.
    package static let mockLocation = Reasons(rawValue: 1 << 7)
    package static let deviceIntegrity = Reasons(rawValue: 1 << 8)
    /// Accuracy fields that a real receiver would not produce.
    package static let accuracyAnomaly = Reasons(rawValue: 1 << 9)
    /// The track repeats an earlier track point by point.
    package static let replayedTrack = Reasons(rawValue: 1 << 10)
    /// Speed, course or acceleration contradict the positions.
    package static let kinematicAnomaly = Reasons(rawValue: 1 << 11)
    /// A jump confirmed by later fixes; the filter restarted at the new position.
    package static let relocated = Reasons(rawValue: 1 << 12)
    /// GNSS interference: many drivers in one area showed anomalies at once, which do not count as evidence.
    package static let gnssDisturbance = Reasons(rawValue: 1 << 13)
    /// The driver's risk exceeds the suspect threshold; see `risk`.
    package static let suspect = Reasons(rawValue: 1 << 14)
    /// The risk was high for several windows; until the risk falls, fixes are stored but not shown to riders.
    package static let flagged = Reasons(rawValue: 1 << 15)

    /// All codes, in wire order.
    package static let all: [(code: StaticString, value: Reasons)] = [
        ("NULL_ISLAND", .nullIsland), ("SEQUENCE_REPLAY", .sequenceReplay), ("CLOCK_SKEW", .clockSkew),
        ("RATE_LIMITED", .rateLimited), ("LOW_ACCURACY", .lowAccuracy), ("IMPOSSIBLE_SPEED", .impossibleSpeed),
        ("TELEPORTATION", .teleportation), ("MOCK_LOCATION", .mockLocation), ("DEVICE_INTEGRITY", .deviceIntegrity),
        ("ACCURACY_ANOMALY", .accuracyAnomaly), ("REPLAYED_TRACK", .replayedTrack),
        ("KINEMATIC_ANOMALY", .kinematicAnomaly), ("RELOCATED", .relocated),
        ("GNSS_DISTURBANCE", .gnssDisturbance), ("SUSPECT", .suspect), ("FLAGGED", .flagged),
    ]
}
