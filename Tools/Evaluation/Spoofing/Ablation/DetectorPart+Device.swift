extension DetectorPart {
    /// What the device says of itself, and what it repeats.
    static let device: [DetectorPart] = [
        DetectorPart("mockLocation.weight") { $0.rules.mockLocation.weight = 0 },
        DetectorPart("deviceIntegrity.weight") { $0.rules.deviceIntegrity.weight = 0 },
        DetectorPart("order.replayWeight") { $0.order.replayWeight = 0 },
        DetectorPart("replayedTrack") { $0.replay.minimumAgeSeconds = never },
        DetectorPart("replayedTrack.weight") { $0.rules.replayedTrack.weight = 0 },
        DetectorPart("replay.minimumAgeSeconds") { $0.replay.minimumAgeSeconds = 0 },
        DetectorPart("replayedTrack.bitsBeforeReject=30") { $0.rules.replayedTrack.bitsBeforeReject = 30 },
        DetectorPart("replay.minimumStepMeters=2") { $0.replay.minimumStepMeters = 2 },
        DetectorPart("rhythm") {
            $0.rules.rhythm.weight = 0
            $0.rules.rhythm.hint = 0
            $0.rules.rhythm.limits = neverOverdue
        },
        DetectorPart("rhythm.weight") { $0.rules.rhythm.weight = 0 },
        DetectorPart("rhythm.hint") { $0.rules.rhythm.hint = 0 },
        DetectorPart("rhythm.roundingMilliseconds") { $0.rules.rhythm.roundingMilliseconds = 0 },
        DetectorPart("rhythm.fromChanges") { $0.rules.rhythm.limits.fromChanges = 0 },
        DetectorPart("rhythm.toldFromChanges=from") { $0.rules.rhythm.limits.toldFromChanges = 4 },
        DetectorPart("rhythm.toldFromChanges=never") { $0.rules.rhythm.limits.toldFromChanges = 31 },
    ]

    /// Fields that stop changing.
    static let fields: [DetectorPart] = [
        DetectorPart("zeroAccuracy") { $0.rules.zeroAccuracy.fixes = 200 },
        DetectorPart("overdueFields") {
            $0.rules.overdueFields.weight = 0
            $0.rules.overdueFields.limits = neverOverdue
        },
        DetectorPart("overdueFields.fromChanges") { $0.rules.overdueFields.limits.fromChanges = 0 },
        DetectorPart("overdueFields.toldFromChanges=from") { $0.rules.overdueFields.limits.toldFromChanges = 3 },
        DetectorPart("overdueFields.toldFromChanges=never") { $0.rules.overdueFields.limits.toldFromChanges = 31 },
        DetectorPart("overdueSpeed") {
            $0.rules.overdueSpeed.weight = 0
            $0.rules.overdueSpeed.aloneWeight = 0
            $0.rules.overdueSpeed.limits = neverOverdue
            $0.rules.overdueSpeed.aloneLimits = neverOverdue
        },
        DetectorPart("overdueSpeed wrong part") {
            $0.rules.overdueSpeed.weight = 0
            $0.rules.overdueSpeed.limits = neverOverdue
        },
        DetectorPart("overdueSpeed alone part") {
            $0.rules.overdueSpeed.aloneWeight = 0
            $0.rules.overdueSpeed.aloneLimits = neverOverdue
        },
        DetectorPart("overdueSpeed.fromChanges") { $0.rules.overdueSpeed.limits.fromChanges = 0 },
        DetectorPart("overdueSpeed.toldFromChanges=from") { $0.rules.overdueSpeed.limits.toldFromChanges = 3.5 },
        DetectorPart("overdueSpeed.toldFromChanges=never") { $0.rules.overdueSpeed.limits.toldFromChanges = 31 },
        DetectorPart("overdueSpeed.alone from=3.5") { $0.rules.overdueSpeed.aloneLimits.fromChanges = 3.5 },
        DetectorPart("overdueSpeed.alone told=from") { $0.rules.overdueSpeed.aloneLimits.toldFromChanges = 8 },
        DetectorPart("overdueSpeed.changingRate") { $0.rules.overdueSpeed.changingRate = 0 },
        DetectorPart("overdueSpeed.wrongMetersPerSecond") { $0.rules.overdueSpeed.wrongMetersPerSecond = 0 },
        DetectorPart("overdueSpeed.wrongShare") { $0.rules.overdueSpeed.wrongShare = 0 },
        DetectorPart("overdueSpeed.wrongDrift (whole)") { $0.rules.overdueSpeed.wrongDriftMeters = never },
        DetectorPart("overdueSpeed.wrongDriftMeters") { $0.rules.overdueSpeed.wrongDriftMeters = 0 },
        DetectorPart("overdueSpeed.wrongDriftFactor") { $0.rules.overdueSpeed.wrongDriftFactor = 0 },
        DetectorPart("overdueSpeed.standingFromChanges=3.5") { $0.rules.overdueSpeed.standingFromChanges = 3.5 },
        DetectorPart("overdueSpeed.standingNoiseFactor") { $0.rules.overdueSpeed.standingNoiseFactor = 0 },
        DetectorPart("overdueHeading") {
            $0.rules.overdueHeading.weight = 0
            $0.rules.overdueHeading.limits = neverOverdue
        },
        DetectorPart("overdueHeading.fromChanges") { $0.rules.overdueHeading.limits.fromChanges = 0 },
        DetectorPart("overdueHeading.told=from") { $0.rules.overdueHeading.limits.toldFromChanges = 8 },
        DetectorPart("frozenFields") {
            $0.rules.frozenFields.weight = 0
            $0.rules.frozenFields.speedWeight = 0
            $0.rules.frozenFields.fixes = 200
            $0.rules.frozenFields.speedFixes = 200
        },
        DetectorPart("frozenFields.fixes") {
            $0.rules.frozenFields.weight = 0
            $0.rules.frozenFields.fixes = 200
        },
        DetectorPart("frozenFields.speedFixes") {
            $0.rules.frozenFields.speedWeight = 0
            $0.rules.frozenFields.speedFixes = 200
        },
    ]
}
