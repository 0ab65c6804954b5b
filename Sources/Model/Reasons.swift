/// Why a verdict was given, or what is remarkable about an accepted fix; a set of codes.
package struct Reasons: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Exactly (0, 0): a device without a fix.
    package static let nullIsland = Reasons(rawValue: 1 << 0)
    /// The sequence number was used before, for other content.
    package static let sequenceReplay = Reasons(rawValue: 1 << 1)
    /// The device's clock is too far ahead of, or behind, the receipt; or the receipt is too far ahead of stream time.
    package static let clockSkew = Reasons(rawValue: 1 << 2)
    /// More fixes than the driver's rate allows.
    package static let rateLimited = Reasons(rawValue: 1 << 3)
    /// The reported accuracy is worse than is used.
    package static let lowAccuracy = Reasons(rawValue: 1 << 4)
    /// Faster than any vehicle, with clock jitter and accuracy allowed for.
    package static let impossibleSpeed = Reasons(rawValue: 1 << 5)
    /// As ``impossibleSpeed``, and over a kilometre.
    package static let teleportation = Reasons(rawValue: 1 << 6)
    /// The platform says that a mock provider made the fix.
    package static let mockLocation = Reasons(rawValue: 1 << 7)
    /// The platform's attestation of the device failed.
    package static let deviceIntegrity = Reasons(rawValue: 1 << 8)
    /// Accuracy fields that do not behave like a receiver's.
    package static let accuracyAnomaly = Reasons(rawValue: 1 << 9)
    /// The track repeats an earlier one, point by point.
    package static let replayedTrack = Reasons(rawValue: 1 << 10)
    /// Speed, course or acceleration contradict the positions.
    package static let kinematicAnomaly = Reasons(rawValue: 1 << 11)
    /// A jump that the fixes after it confirmed; the filter started over there.
    package static let relocated = Reasons(rawValue: 1 << 12)
    /// The positions of many drivers in one area went wrong at once: the drivers are not blamed.
    package static let gnssDisturbance = Reasons(rawValue: 1 << 13)
    /// The driver's risk is over the threshold for marking; see `risk`.
    package static let suspect = Reasons(rawValue: 1 << 14)
    /// The risk was so high for so long that the driver is taken for a forger until it falls: the fix is kept and
    /// judged on, but riders are not shown it.
    package static let flagged = Reasons(rawValue: 1 << 15)

    /// Every code with its set, in wire order.
    package static let all: [(code: StaticString, value: Reasons)] = [
        ("NULL_ISLAND", .nullIsland), ("SEQUENCE_REPLAY", .sequenceReplay), ("CLOCK_SKEW", .clockSkew),
        ("RATE_LIMITED", .rateLimited), ("LOW_ACCURACY", .lowAccuracy), ("IMPOSSIBLE_SPEED", .impossibleSpeed),
        ("TELEPORTATION", .teleportation), ("MOCK_LOCATION", .mockLocation), ("DEVICE_INTEGRITY", .deviceIntegrity),
        ("ACCURACY_ANOMALY", .accuracyAnomaly), ("REPLAYED_TRACK", .replayedTrack),
        ("KINEMATIC_ANOMALY", .kinematicAnomaly), ("RELOCATED", .relocated),
        ("GNSS_DISTURBANCE", .gnssDisturbance), ("SUSPECT", .suspect), ("FLAGGED", .flagged),
    ]
}
