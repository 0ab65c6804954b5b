import Domain

/// A signal of the spoof detector that can be evaluated alone.
struct SpoofSignal {
    typealias Weight = WritableKeyPath<TrackingSettings, Double>

    let name: String
    /// Paths to the signal's weights in the settings; every weight belongs to exactly one signal.
    let weights: [Weight]
    /// Reasons with which the signal rejects fixes, regardless of its weights.
    var rejections: Reasons = []

    static var all: [SpoofSignal] {
        [
            SpoofSignal(name: "mock", weights: [\.rules.mockLocation.weight], rejections: .mockLocation),
            SpoofSignal(name: "integrity", weights: [\.rules.deviceIntegrity.weight], rejections: .deviceIntegrity),
            SpoofSignal(name: "sequence", weights: [\.order.replayWeight], rejections: .sequenceReplay),
            SpoofSignal(
                name: "jump",
                weights: [
                    \.rules.jump.weight, \.rules.jump.repeatWeight, \.rules.jump.strayWeight,
                    \.rules.jump.relocationWeight, \.rules.jump.sustainedWeight,
                ],
                // A motion beyond any acceleration is also a jump.
                rejections: [.impossibleSpeed, .teleportation, .kinematicAnomaly]),
            SpoofSignal(
                name: "frozen_fields",
                weights: [
                    \.rules.frozenFields.weight, \.rules.frozenFields.speedWeight, \.rules.overdueFields.weight,
                    \.rules.overdueHeading.weight,
                ]),
            SpoofSignal(
                name: "speed",
                weights: [
                    \.rules.speedContradiction.weight, \.rules.overdueSpeed.weight, \.rules.overdueSpeed.aloneWeight,
                ]),
            SpoofSignal(name: "rhythm", weights: [\.rules.rhythm.weight]),
            SpoofSignal(name: "equal_steps", weights: [\.rules.equalSteps.weight]),
            SpoofSignal(name: "steps", weights: [\.rules.filterRestart.weight, \.rules.unsteadiness.weight]),
            SpoofSignal(name: "drift", weights: [\.rules.drift.weight, \.rules.drift.frozenWeight]),
            SpoofSignal(name: "replay", weights: [\.rules.replayedTrack.weight], rejections: .replayedTrack),
        ]
    }

    /// Returns `settings` with the weights of all other signals set to 0.
    func alone(in settings: TrackingSettings) -> TrackingSettings {
        var alone = settings
        for other in Self.all where other.name != name {
            for weight in other.weights { alone[keyPath: weight] = 0 }
        }
        return alone
    }
}
