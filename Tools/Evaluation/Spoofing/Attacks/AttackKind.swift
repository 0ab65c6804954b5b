/// Kinds of injected attacks.
package enum AttackKind: String, CaseIterable, Sendable, Codable {
    /// A constant point 0.5 to 5 km away, with the constant fields of a spoofing app.
    case staticPoint = "static_point"
    /// A simulated route at constant speed, with constant accuracy, altitude and speed fields.
    case routeSimulator = "route_simulator"
    /// A speed field that is always zero or always the same.
    case hardCodedSpeed = "hard_coded_speed"
    /// The platform reports a mock provider.
    case mockFlag = "mock_flag"
    /// Moves away from the true position at 250 to 540 km/h.
    case impossibleSpeed = "impossible_speed"
    /// Jumps to a point 2 to 20 km away and stays there with receiver noise.
    case teleportAndStay = "teleport_and_stay"
    /// An earlier stretch of the driver's own track, with later times.
    case replayOwnTrack = "replay_own_track"
    /// A stretch of another driver's track, with later times.
    case replayOtherTrack = "replay_other_track"
    /// ``routeSimulator`` with Gaussian jitter.
    case jitteredRoute = "jittered_route"
    /// The true track, displaced by 300 m to the side.
    case parallelOffset = "parallel_offset"
    /// A standing vehicle that pretends to be 300 to 800 m away for 30 to 90 s.
    case pickupOnly = "pickup_only"
    /// Realistic motion at exact intervals.
    case wrongRhythm = "wrong_rhythm"
    /// Drifts away from the true track at 1 to 3 m/s.
    case slowDrift = "slow_drift"
    /// A constant point at the true position while the vehicle drives on; no target.
    case frozenInPlace = "frozen_in_place"
    /// Generated motion with realistic receiver noise and fields; no target.
    case noiseMatched = "noise_matched"
    /// No attack, to measure the rate of false detections.
    case noAttack = "no_attack"

    /// Target share of detected attacks; `nil` without a target.
    package var target: Double? {
        switch self {
        case .staticPoint, .routeSimulator, .hardCodedSpeed, .mockFlag, .impossibleSpeed: 0.99
        case .teleportAndStay, .replayOwnTrack, .replayOtherTrack: 0.98
        case .jitteredRoute, .parallelOffset, .pickupOnly, .wrongRhythm: 0.90
        case .slowDrift: 0.70
        case .frozenInPlace, .noiseMatched, .noAttack: nil
        }
    }

    /// Whether the attack is crude and therefore also has a target for the delay.
    var isOfFirstGroup: Bool { target == 0.99 }

    /// Range of durations in seconds.
    var seconds: ClosedRange<Double> { self == .pickupOnly ? 30...90 : 60...240 }

    /// Whether the device reports its true position again afterwards.
    ///
    /// The two forgeries without a target end offline, because the jump back would reveal them.
    var endsHonestly: Bool { self != .noiseMatched && self != .frozenInPlace }

    /// Number for seeds; the order of the cases must not change.
    var number: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}
