import Domain

/// Method by which a simulated driver forges locations, with its name in ground-truth files.
package enum CheatKind: String, Sendable, CaseIterable {
    /// Reports a fixed position kilometres away.
    case teleport
    /// Moves the position away and back faster than any vehicle.
    case impossibleSpeed = "impossible_speed"
    /// Uses a mock provider that the platform reports; the position drifts.
    case mockFlag = "mock_flag"
    /// Reports an accuracy of exactly 0.
    case zeroAccuracy = "zero_accuracy"
    /// Repeats one of its earlier tracks, point by point.
    case replayedTrack = "replayed_track"

    /// Reasons that identify this cheat; any of them counts as detection.
    package var expectedReasons: Reasons {
        switch self {
        case .teleport: [.teleportation, .impossibleSpeed]
        case .impossibleSpeed: [.impossibleSpeed, .teleportation, .kinematicAnomaly]
        case .mockFlag: .mockLocation
        case .zeroAccuracy: .accuracyAnomaly
        case .replayedTrack: .replayedTrack
        }
    }

    /// Minimum forged fixes in a window for an undetected cheat to count as missed.
    ///
    /// A few if single fixes reveal the cheat, more if only a pattern reveals it, and the whole track for a replay.
    package var fixesNeeded: Int {
        switch self {
        case .teleport, .impossibleSpeed, .mockFlag: 3
        case .zeroAccuracy: 25
        case .replayedTrack: Cheat.trackFixes
        }
    }
}
