/// The ways to forge a track that the judge is measured on.
package enum AttackKind: String, CaseIterable, Sendable, Codable {
    /// A pin set 0.5 to 5 km away, with the constant fields of an app.
    case staticPoint = "static_point"
    /// A simulated route at constant speed, with constant accuracy, altitude and speed fields.
    case routeSimulator = "route_simulator"
    /// A speed field that is always zero or always the same.
    case hardCodedSpeed = "hard_coded_speed"
    /// The platform admits a mock provider.
    case mockFlag = "mock_flag"
    /// 250 to 540 km/h, away from where the vehicle is.
    case impossibleSpeed = "impossible_speed"
    /// To a spot 2 to 20 km away, and staying there with a receiver's noise.
    case teleportAndStay = "teleport_and_stay"
    /// An earlier stretch of the driver's own track, with later times.
    case replayOwnTrack = "replay_own_track"
    /// A stretch of another driver's track, with later times.
    case replayOtherTrack = "replay_other_track"
    /// As ``routeSimulator``, with Gaussian jitter.
    case jitteredRoute = "jittered_route"
    /// The true track 300 m to the side.
    case parallelOffset = "parallel_offset"
    /// A standing vehicle that claims to be 300 to 800 m away, for 30 to 90 s.
    case pickupOnly = "pickup_only"
    /// Real-looking motion, sent at exact intervals on a grid of time.
    case wrongRhythm = "wrong_rhythm"
    /// Away from the true track at 1 to 3 m/s.
    case slowDrift = "slow_drift"
    /// A pin set where the vehicle is, while it drives on; no target.
    case frozenInPlace = "frozen_in_place"
    /// A generator with a receiver's noise and fields; no target.
    case noiseMatched = "noise_matched"
    /// Nothing is forged: what is "detected" here is an honest driver blamed, or chance.
    case noAttack = "no_attack"

    /// The share of attacks that should be detected; `nil` where there is no target.
    package var target: Double? {
        switch self {
        case .staticPoint, .routeSimulator, .hardCodedSpeed, .mockFlag, .impossibleSpeed: 0.99
        case .teleportAndStay, .replayOwnTrack, .replayOtherTrack: 0.98
        case .jitteredRoute, .parallelOffset, .pickupOnly, .wrongRhythm: 0.90
        case .slowDrift: 0.70
        case .frozenInPlace, .noiseMatched, .noAttack: nil
        }
    }

    /// Whether it is one of the crude ones, which have a target for the delay as well.
    var isOfFirstGroup: Bool { target == 0.99 }

    /// How long it lasts, in seconds.
    var seconds: ClosedRange<Double> { self == .pickupOnly ? 30...90 : 60...240 }

    /// Whether the device tells its true position again afterwards.
    ///
    /// The forger that nothing is expected of goes offline: coming back would give it away.
    var endsHonestly: Bool { self != .noiseMatched && self != .frozenInPlace }

    /// A number for seeds; never reordered.
    var number: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}
