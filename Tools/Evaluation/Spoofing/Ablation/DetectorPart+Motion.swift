extension DetectorPart {
    /// Positions out of reach.
    static let jumps: [DetectorPart] = [
        DetectorPart("jump (reach)") { $0.jumps.maximumSpeedMetersPerSecond = 1e9 },
        DetectorPart("jump.weight") { $0.rules.jump.weight = 0 },
        DetectorPart("jump.repeatWeight") { $0.rules.jump.repeatWeight = 0 },
        DetectorPart("jump.strayWeight=0") { $0.rules.jump.strayWeight = 0 },
        DetectorPart("jump.relocationWeight") { $0.rules.jump.relocationWeight = 0 },
        DetectorPart("jump.teleportationMeters") { $0.rules.jump.teleportationMeters = never },
        DetectorPart("jump.confirmations=1") { $0.rules.jump.confirmations = 1 },
        DetectorPart("jump.minimumConfirmationSeconds") { $0.rules.jump.minimumConfirmationSeconds = 0 },
        DetectorPart("jump.youngFixes") { $0.rules.jump.youngFixes = 0 },
        DetectorPart("jump.accelerationSeconds") { $0.rules.jump.accelerationSeconds = never },
        DetectorPart("jumps.timestampJitterSeconds") { $0.jumps.timestampJitterSeconds = 0 },
        DetectorPart("jumps.accuracyFactor") { $0.jumps.accuracyFactor = 0 },
        DetectorPart("jumps.graceFixes") { $0.jumps.graceFixes = 0 },
        DetectorPart("jumps.coldStartMeters") { $0.jumps.coldStartMeters = 0 },
        DetectorPart("jump.sustainedWeight") { $0.rules.jump.sustainedWeight = 0 },
        DetectorPart("jump.sustainedMetersPerSecond") { $0.rules.jump.sustainedMetersPerSecond = never },
        DetectorPart("jump.longestFastSeconds") { $0.rules.jump.longestFastSeconds = 0 },
        DetectorPart("quality.coarseAccuracyMeters=max") { $0.quality.coarseAccuracyMeters = 100 },
        DetectorPart("quality.unknownAccuracyMeters=1") { $0.quality.unknownAccuracyMeters = 1 },
    ]

    /// Speeds against the way made.
    static let speeds: [DetectorPart] = [
        DetectorPart("speedContradiction") { $0.rules.speedContradiction.marginMetersPerSecond = 1e9 },
        DetectorPart("speedContradiction.weight") { $0.rules.speedContradiction.weight = 0 },
        DetectorPart("speedContradiction.windowFixes=2") { $0.rules.speedContradiction.windowFixes = 2 },
        DetectorPart("speedContradiction.frozenChanges (no frozen)") {
            $0.rules.speedContradiction.frozenChanges = 1e9
        },
        DetectorPart("speedContradiction.frozenChanges=0.1") { $0.rules.speedContradiction.frozenChanges = 0.1 },
        DetectorPart("speedContradiction.frozenMargin=1") { $0.rules.speedContradiction.frozenMargin = 1 },
        DetectorPart("drift") {
            $0.rules.drift.weight = 0
            $0.rules.drift.frozenWeight = 0
            $0.rules.drift.hint = 0
            $0.rules.drift.warnExcess = never
        },
        DetectorPart("drift.weight+told") {
            $0.rules.drift.weight = 0
            $0.rules.drift.frozenWeight = 0
            $0.rules.drift.warnExcess = never
        },
        DetectorPart("drift.frozenWeight") { $0.rules.drift.frozenWeight = 0 },
        DetectorPart("drift.hint") { $0.rules.drift.hint = 0 },
        DetectorPart("drift.usualFactor") { $0.rules.drift.usualFactor = 0 },
        DetectorPart("drift.noiseFactor") { $0.rules.drift.noiseFactor = 0 },
        DetectorPart("drift.meters") { $0.rules.drift.meters = 0.1 },
        DetectorPart("drift.warnExcess=0") { $0.rules.drift.warnExcess = 0 },
        DetectorPart("drift.learntSteps") { $0.rules.drift.learntSteps = 2 },
        DetectorPart("drift.hintSofteningMeters") { $0.rules.drift.hintSofteningMeters = 0.1 },
        DetectorPart("signals.maximumAcceleration (jump)") {
            $0.signals.maximumAccelerationMetersPerSecondSquared = 1e9
        },
    ]

    /// Steps against the steps before.
    static let steps: [DetectorPart] = [
        DetectorPart("equalSteps") {
            $0.rules.equalSteps.weight = 0
            $0.rules.equalSteps.hint = 0
            $0.rules.equalSteps.unequalMeters = never
        },
        DetectorPart("equalSteps without hint") {
            $0.rules.equalSteps.weight = 0
            $0.rules.equalSteps.unequalMeters = never
        },
        DetectorPart("equalSteps.hint") { $0.rules.equalSteps.hint = 0 },
        DetectorPart("equalSteps.unequalMeters") { $0.rules.equalSteps.unequalMeters = 0 },
        DetectorPart("equalSteps.learntSteps") { $0.rules.equalSteps.learntSteps = 2 },
        DetectorPart("equalSteps.toleranceMeters") { $0.rules.equalSteps.toleranceMeters = 0 },
        DetectorPart("equalSteps.driftMeters") { $0.rules.equalSteps.driftMeters = 0 },
        DetectorPart("equalSteps.runSeconds") { $0.rules.equalSteps.runSeconds = 0 },
        DetectorPart("unsteadiness") { $0.rules.unsteadiness.excessNepers = never },
        DetectorPart("unsteadiness.weight") { $0.rules.unsteadiness.weight = 0 },
        DetectorPart("unsteadiness.excessNepers") { $0.rules.unsteadiness.excessNepers = 0 },
        DetectorPart("unsteadiness.warnNepers") { $0.rules.unsteadiness.warnNepers = 0 },
        DetectorPart("unsteadiness.swerves") { $0.rules.unsteadiness.swerves = 0 },
        DetectorPart("unsteadiness.maximumMeters") { $0.rules.unsteadiness.maximumMeters = 1e9 },
        DetectorPart("unsteadiness.maximumSeconds") { $0.rules.unsteadiness.maximumSeconds = 1e9 },
        DetectorPart("unsteadiness.minimumPreviousMeters") { $0.rules.unsteadiness.minimumPreviousMeters = 0 },
        DetectorPart("filterRestart") { $0.rules.filterRestart.minimumMeters = never },
        DetectorPart("filterRestart.minimumMeters") { $0.rules.filterRestart.minimumMeters = 0 },
        DetectorPart("filterRestart.weight") { $0.rules.filterRestart.weight = 0 },
    ]
}
