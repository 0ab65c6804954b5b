import Domain

/// A signal of the spoof detector that can be evaluated alone.
enum SpoofSignal: String, CaseIterable, Sendable {
    case mock
    case integrity
    case sequence
    case jump
    case frozenFields = "frozen_fields"
    case speed
    case rhythm
    case equalSteps = "equal_steps"
    case steps
    case drift
    case replay

    typealias Weight = WritableKeyPath<TrackingSettings, Double>

    /// Paths to the signal's weights in the settings; every weight belongs to exactly one signal.
    var weights: [Weight] {
        switch self {
        case .mock: [\.rules.mockLocation.weight]
        case .integrity: [\.rules.deviceIntegrity.weight]
        case .sequence: [\.order.replayWeight]
        case .jump:
            [
                \.rules.jump.weight, \.rules.jump.repeatWeight, \.rules.jump.strayWeight, \.rules.jump.relocationWeight,
                \.rules.jump.sustainedWeight,
            ]
        case .frozenFields:
            [
                \.rules.frozenFields.weight, \.rules.frozenFields.speedWeight, \.rules.overdueFields.weight,
                \.rules.overdueHeading.weight,
            ]
        case .speed:
            [
                \.rules.speedContradiction.weight, \.rules.overdueSpeed.weight, \.rules.overdueSpeed.aloneWeight,
            ]
        case .rhythm: [\.rules.rhythm.weight]
        case .equalSteps: [\.rules.equalSteps.weight]
        case .steps: [\.rules.filterRestart.weight, \.rules.unsteadiness.weight]
        case .drift: [\.rules.drift.weight, \.rules.drift.frozenWeight]
        case .replay: [\.rules.replayedTrack.weight]
        }
    }

    /// Reasons with which the signal rejects fixes, regardless of its weights.
    var rejections: Reasons {
        switch self {
        case .mock: .mockLocation
        case .integrity: .deviceIntegrity
        case .sequence: .sequenceReplay
        // A motion beyond any acceleration is also a jump.
        case .jump: [.impossibleSpeed, .teleportation, .kinematicAnomaly]
        case .replay: .replayedTrack
        case .frozenFields, .speed, .rhythm, .equalSteps, .steps, .drift: []
        }
    }

    /// Returns `settings` with the weights of all other signals set to 0.
    func alone(in settings: TrackingSettings) -> TrackingSettings {
        var alone = settings
        for other in Self.allCases where other != self {
            for weight in other.weights { alone[keyPath: weight] = 0 }
        }
        return alone
    }
}
