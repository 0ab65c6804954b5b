import Tracking

extension JudgePart {
    /// What the device says of itself, and what it repeats.
    static let device: [JudgePart] = [
        JudgePart("mockLocation.weight") { $0.rules.mockLocation.weight = 0 },
        JudgePart("deviceIntegrity.weight") { $0.rules.deviceIntegrity.weight = 0 },
        JudgePart("order.replayWeight") { $0.order.replayWeight = 0 },
        JudgePart("replayedTrack") { $0.replay.minimumAgeSeconds = never },
        JudgePart("replayedTrack.weight") { $0.rules.replayedTrack.weight = 0 },
        JudgePart("replay.minimumAgeSeconds") { $0.replay.minimumAgeSeconds = 0 },
        JudgePart("replayedTrack.bitsBeforeReject=30") { $0.rules.replayedTrack.bitsBeforeReject = 30 },
        JudgePart("replay.minimumStepMeters=2") { $0.replay.minimumStepMeters = 2 },
        JudgePart("rhythm") {
            $0.rules.rhythm.weight = 0
            $0.rules.rhythm.hint = 0
            $0.rules.rhythm.limits = neverOverdue
        },
        JudgePart("rhythm.weight") { $0.rules.rhythm.weight = 0 },
        JudgePart("rhythm.hint") { $0.rules.rhythm.hint = 0 },
        JudgePart("rhythm.roundingMilliseconds") { $0.rules.rhythm.roundingMilliseconds = 0 },
        JudgePart("rhythm.fromChanges") { $0.rules.rhythm.limits.fromChanges = 0 },
        JudgePart("rhythm.toldFromChanges=from") { $0.rules.rhythm.limits.toldFromChanges = 4 },
        JudgePart("rhythm.toldFromChanges=never") { $0.rules.rhythm.limits.toldFromChanges = 31 },
    ]

    /// Fields that stop changing.
    static let fields: [JudgePart] = [
        JudgePart("zeroAccuracy") { $0.rules.zeroAccuracy.fixes = 200 },
        JudgePart("overdueFields") {
            $0.rules.overdueFields.weight = 0
            $0.rules.overdueFields.limits = neverOverdue
        },
        JudgePart("overdueFields.fromChanges") { $0.rules.overdueFields.limits.fromChanges = 0 },
        JudgePart("overdueFields.toldFromChanges=from") { $0.rules.overdueFields.limits.toldFromChanges = 3 },
        JudgePart("overdueFields.toldFromChanges=never") { $0.rules.overdueFields.limits.toldFromChanges = 31 },
        JudgePart("overdueSpeed") {
            $0.rules.overdueSpeed.weight = 0
            $0.rules.overdueSpeed.aloneWeight = 0
            $0.rules.overdueSpeed.limits = neverOverdue
            $0.rules.overdueSpeed.aloneLimits = neverOverdue
        },
        JudgePart("overdueSpeed wrong part") {
            $0.rules.overdueSpeed.weight = 0
            $0.rules.overdueSpeed.limits = neverOverdue
        },
        JudgePart("overdueSpeed alone part") {
            $0.rules.overdueSpeed.aloneWeight = 0
            $0.rules.overdueSpeed.aloneLimits = neverOverdue
        },
        JudgePart("overdueSpeed.fromChanges") { $0.rules.overdueSpeed.limits.fromChanges = 0 },
        JudgePart("overdueSpeed.toldFromChanges=from") { $0.rules.overdueSpeed.limits.toldFromChanges = 3.5 },
        JudgePart("overdueSpeed.toldFromChanges=never") { $0.rules.overdueSpeed.limits.toldFromChanges = 31 },
        JudgePart("overdueSpeed.alone from=3.5") { $0.rules.overdueSpeed.aloneLimits.fromChanges = 3.5 },
        JudgePart("overdueSpeed.alone told=from") { $0.rules.overdueSpeed.aloneLimits.toldFromChanges = 8 },
        JudgePart("overdueSpeed.changingRate") { $0.rules.overdueSpeed.changingRate = 0 },
        JudgePart("overdueSpeed.wrongMetersPerSecond") { $0.rules.overdueSpeed.wrongMetersPerSecond = 0 },
        JudgePart("overdueSpeed.wrongShare") { $0.rules.overdueSpeed.wrongShare = 0 },
        JudgePart("overdueSpeed.wrongDrift (whole)") { $0.rules.overdueSpeed.wrongDriftMeters = never },
        JudgePart("overdueSpeed.wrongDriftMeters") { $0.rules.overdueSpeed.wrongDriftMeters = 0 },
        JudgePart("overdueSpeed.wrongDriftFactor") { $0.rules.overdueSpeed.wrongDriftFactor = 0 },
        JudgePart("overdueSpeed.standingFromChanges=3.5") { $0.rules.overdueSpeed.standingFromChanges = 3.5 },
        JudgePart("overdueSpeed.standingNoiseFactor") { $0.rules.overdueSpeed.standingNoiseFactor = 0 },
        JudgePart("overdueHeading") {
            $0.rules.overdueHeading.weight = 0
            $0.rules.overdueHeading.limits = neverOverdue
        },
        JudgePart("overdueHeading.fromChanges") { $0.rules.overdueHeading.limits.fromChanges = 0 },
        JudgePart("overdueHeading.told=from") { $0.rules.overdueHeading.limits.toldFromChanges = 8 },
        JudgePart("frozenFields") {
            $0.rules.frozenFields.weight = 0
            $0.rules.frozenFields.speedWeight = 0
            $0.rules.frozenFields.fixes = 200
            $0.rules.frozenFields.speedFixes = 200
        },
        JudgePart("frozenFields.fixes") {
            $0.rules.frozenFields.weight = 0
            $0.rules.frozenFields.fixes = 200
        },
        JudgePart("frozenFields.speedFixes") {
            $0.rules.frozenFields.speedWeight = 0
            $0.rules.frozenFields.speedFixes = 200
        },
    ]
}
