import Tracking

extension JudgePart {
    /// Positions out of reach.
    static let jumps: [JudgePart] = [
        JudgePart("jump (reach)") { $0.jumps.maximumSpeedMetersPerSecond = 1e9 },
        JudgePart("jump.weight") { $0.rules.jump.weight = 0 },
        JudgePart("jump.againWeight") { $0.rules.jump.againWeight = 0 },
        JudgePart("jump.strayWeight=0") { $0.rules.jump.strayWeight = 0 },
        JudgePart("jump.relocationWeight") { $0.rules.jump.relocationWeight = 0 },
        JudgePart("jump.teleportationMeters") { $0.rules.jump.teleportationMeters = never },
        JudgePart("jump.confirmations=1") { $0.rules.jump.confirmations = 1 },
        JudgePart("jump.minimumConfirmationSeconds") { $0.rules.jump.minimumConfirmationSeconds = 0 },
        JudgePart("jump.youngFixes") { $0.rules.jump.youngFixes = 0 },
        JudgePart("jump.accelerationSeconds") { $0.rules.jump.accelerationSeconds = never },
        JudgePart("jumps.stampJitterSeconds") { $0.jumps.stampJitterSeconds = 0 },
        JudgePart("jumps.accuracyFactor") { $0.jumps.accuracyFactor = 0 },
        JudgePart("jumps.graceFixes") { $0.jumps.graceFixes = 0 },
        JudgePart("jumps.coldStartMeters") { $0.jumps.coldStartMeters = 0 },
        JudgePart("jump.sustainedWeight") { $0.rules.jump.sustainedWeight = 0 },
        JudgePart("jump.sustainedMetersPerSecond") { $0.rules.jump.sustainedMetersPerSecond = never },
        JudgePart("jump.longestFastSeconds") { $0.rules.jump.longestFastSeconds = 0 },
        JudgePart("quality.coarseAccuracyMeters=max") { $0.quality.coarseAccuracyMeters = 100 },
        JudgePart("quality.unknownAccuracyMeters=1") { $0.quality.unknownAccuracyMeters = 1 },
    ]

    /// Speeds against the way made.
    static let speeds: [JudgePart] = [
        JudgePart("speedContradiction") { $0.rules.speedContradiction.marginMetersPerSecond = 1e9 },
        JudgePart("speedContradiction.weight") { $0.rules.speedContradiction.weight = 0 },
        JudgePart("speedContradiction.windowFixes=2") { $0.rules.speedContradiction.windowFixes = 2 },
        JudgePart("speedContradiction.frozenChanges (no frozen)") { $0.rules.speedContradiction.frozenChanges = 1e9 },
        JudgePart("speedContradiction.frozenChanges=0.1") { $0.rules.speedContradiction.frozenChanges = 0.1 },
        JudgePart("speedContradiction.frozenMargin=1") { $0.rules.speedContradiction.frozenMargin = 1 },
        JudgePart("drift") {
            $0.rules.drift.weight = 0
            $0.rules.drift.frozenWeight = 0
            $0.rules.drift.hint = 0
            $0.rules.drift.toldExcess = never
        },
        JudgePart("drift.weight+told") {
            $0.rules.drift.weight = 0
            $0.rules.drift.frozenWeight = 0
            $0.rules.drift.toldExcess = never
        },
        JudgePart("drift.frozenWeight") { $0.rules.drift.frozenWeight = 0 },
        JudgePart("drift.hint") { $0.rules.drift.hint = 0 },
        JudgePart("drift.usualFactor") { $0.rules.drift.usualFactor = 0 },
        JudgePart("drift.noiseFactor") { $0.rules.drift.noiseFactor = 0 },
        JudgePart("drift.meters") { $0.rules.drift.meters = 0.1 },
        JudgePart("drift.toldExcess=0") { $0.rules.drift.toldExcess = 0 },
        JudgePart("drift.learntSteps") { $0.rules.drift.learntSteps = 2 },
        JudgePart("drift.hintSofteningMeters") { $0.rules.drift.hintSofteningMeters = 0.1 },
        JudgePart("signals.maximumAcceleration (jump)") { $0.signals.maximumAccelerationMetersPerSecondSquared = 1e9 },
    ]

    /// Steps against the steps before.
    static let steps: [JudgePart] = [
        JudgePart("equalSteps") {
            $0.rules.equalSteps.weight = 0
            $0.rules.equalSteps.hint = 0
            $0.rules.equalSteps.unequalMeters = never
        },
        JudgePart("equalSteps without hint") {
            $0.rules.equalSteps.weight = 0
            $0.rules.equalSteps.unequalMeters = never
        },
        JudgePart("equalSteps.hint") { $0.rules.equalSteps.hint = 0 },
        JudgePart("equalSteps.unequalMeters") { $0.rules.equalSteps.unequalMeters = 0 },
        JudgePart("equalSteps.learntSteps") { $0.rules.equalSteps.learntSteps = 2 },
        JudgePart("equalSteps.toleranceMeters") { $0.rules.equalSteps.toleranceMeters = 0 },
        JudgePart("equalSteps.driftMeters") { $0.rules.equalSteps.driftMeters = 0 },
        JudgePart("equalSteps.runSeconds") { $0.rules.equalSteps.runSeconds = 0 },
        JudgePart("unsteadiness") { $0.rules.unsteadiness.excessNepers = never },
        JudgePart("unsteadiness.weight") { $0.rules.unsteadiness.weight = 0 },
        JudgePart("unsteadiness.excessNepers") { $0.rules.unsteadiness.excessNepers = 0 },
        JudgePart("unsteadiness.toldNepers") { $0.rules.unsteadiness.toldNepers = 0 },
        JudgePart("unsteadiness.swerves") { $0.rules.unsteadiness.swerves = 0 },
        JudgePart("unsteadiness.maximumMeters") { $0.rules.unsteadiness.maximumMeters = 1e9 },
        JudgePart("unsteadiness.maximumSeconds") { $0.rules.unsteadiness.maximumSeconds = 1e9 },
        JudgePart("unsteadiness.minimumPreviousMeters") { $0.rules.unsteadiness.minimumPreviousMeters = 0 },
        JudgePart("filterRestart") { $0.rules.filterRestart.minimumMeters = never },
        JudgePart("filterRestart.minimumMeters") { $0.rules.filterRestart.minimumMeters = 0 },
        JudgePart("filterRestart.weight") { $0.rules.filterRestart.weight = 0 },
    ]
}
