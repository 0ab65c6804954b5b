import Model

/// How a simulated driver forges locations.
package enum CheatKind: UInt8, Sendable, CaseIterable {
    /// Claims to be at a place kilometres away, and stays there.
    case teleport
    /// Moves the position faster than anything on wheels, away from the true one and back.
    case impossibleSpeed
    /// Uses a mock provider and the platform says so; the position drifts off.
    case mockFlag
    /// Sends an accuracy of exactly 0 all the time.
    case zeroAccuracy
    /// Sends an earlier track of its own once more, point by point.
    case replayedTrack

    /// As in truth files and reports.
    package var code: String {
        switch self {
        case .teleport: "teleport"
        case .impossibleSpeed: "impossible_speed"
        case .mockFlag: "mock_flag"
        case .zeroAccuracy: "zero_accuracy"
        case .replayedTrack: "replayed_track"
        }
    }

    /// The codes that name this cheat rightly; any one of them counts as caught.
    package var fittingReasons: Reasons {
        switch self {
        case .teleport: [.teleportation, .impossibleSpeed]
        case .impossibleSpeed: [.impossibleSpeed, .teleportation, .kinematicAnomaly]
        case .mockFlag: .mockLocation
        case .zeroAccuracy: .accuracyAnomaly
        case .replayedTrack: .replayedTrack
        }
    }

    /// Forged fixes in one window from which on an undetected cheat counts as missed: a few for what shows at once, more
    /// where only a pattern shows it, and the whole track for a replay.
    package var fixesNeeded: Int {
        switch self {
        case .teleport, .impossibleSpeed, .mockFlag: 3
        case .zeroAccuracy: 25
        case .replayedTrack: Cheat.trackFixes
        }
    }
}
