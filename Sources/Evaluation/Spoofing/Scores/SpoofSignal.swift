import Tracking

/// A signal of the judge, as far as it can be heard alone.
enum SpoofSignal: String, CaseIterable, Sendable {
    case mock
    case integrity
    case sequence
    case jump
    case frozenFields = "frozen_fields"
    case zeroAccuracy = "zero_accuracy"
    case speed
    case rhythm
    case equalSteps = "equal_steps"
    case heading
    case steps
    case drift
    case replay

    typealias Weights = TrackingSettings.Weights

    /// Its weights among the judge's; every weight belongs to exactly one signal.
    var weights: [WritableKeyPath<Weights, Double>] {
        switch self {
        case .mock: [\.mock]
        case .integrity: [\.failedIntegrity]
        case .sequence: [\.sequenceReplay]
        case .jump: [\.jump, \.jumpAgain, \.strayFix, \.unreachableRelocation]
        case .frozenFields: [\.frozenFields, \.frozenSpeed, \.overdueFields, \.overdueAltitude]
        case .zeroAccuracy: [\.zeroAccuracy]
        case .speed: [\.speedContradiction, \.overdueSpeed, \.overdueSpeedAlone, \.acceleration]
        case .rhythm: [\.overdueRhythm]
        case .equalSteps: [\.equalSteps]
        case .heading: [\.contraryHeading]
        case .steps: [\.stepChange, \.filterRestart, \.unsteadiness]
        case .drift: [\.drift]
        case .replay: [\.repeatedChunk]
        }
    }

    /// The rejections that it causes, whatever its weight.
    var rejections: Reasons {
        switch self {
        case .mock: .mockLocation
        case .integrity: .deviceIntegrity
        case .sequence: .sequenceReplay
        // Beyond any acceleration is a jump, too.
        case .jump: [.impossibleSpeed, .teleportation, .kinematicAnomaly]
        case .replay: .replayedTrack
        case .frozenFields, .zeroAccuracy, .speed, .rhythm, .equalSteps, .heading, .steps, .drift: []
        }
    }

    /// `weights` with all other signals silent.
    func alone(in weights: Weights) -> Weights {
        var alone = weights
        for other in Self.allCases where other != self {
            for weight in other.weights { alone[keyPath: weight] = 0 }
        }
        return alone
    }
}
