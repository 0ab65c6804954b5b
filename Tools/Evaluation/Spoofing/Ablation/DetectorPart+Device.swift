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
        DetectorPart("rhythm.evidenceThreshold") { $0.rules.rhythm.limits.evidenceThreshold = 0 },
        DetectorPart("rhythm.warnThreshold=evidence") { $0.rules.rhythm.limits.warnThreshold = 4 },
        DetectorPart("rhythm.warnThreshold=never") { $0.rules.rhythm.limits.warnThreshold = 31 },
    ]

    /// Fields that stop changing.
    static let fields: [DetectorPart] = [
        DetectorPart("zeroAccuracy") { $0.rules.zeroAccuracy.fixes = 200 },
        DetectorPart("overdueFields") {
            $0.rules.overdueFields.weight = 0
            $0.rules.overdueFields.limits = neverOverdue
        },
        DetectorPart("overdueFields.evidenceThreshold") { $0.rules.overdueFields.limits.evidenceThreshold = 0 },
        DetectorPart("overdueFields.warnThreshold=evidence") { $0.rules.overdueFields.limits.warnThreshold = 3 },
        DetectorPart("overdueFields.warnThreshold=never") { $0.rules.overdueFields.limits.warnThreshold = 31 },
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
        DetectorPart("overdueSpeed.evidenceThreshold") { $0.rules.overdueSpeed.limits.evidenceThreshold = 0 },
        DetectorPart("overdueSpeed.warnThreshold=evidence") { $0.rules.overdueSpeed.limits.warnThreshold = 3.5 },
        DetectorPart("overdueSpeed.warnThreshold=never") { $0.rules.overdueSpeed.limits.warnThreshold = 31 },
        DetectorPart("overdueSpeed.alone evidenceThreshold=3.5") {
            $0.rules.overdueSpeed.aloneLimits.evidenceThreshold = 3.5
        },
        DetectorPart("overdueSpeed.alone warnThreshold=evidence") {
            $0.rules.overdueSpeed.aloneLimits.warnThreshold = 8
        },
        DetectorPart("overdueSpeed.changingRate") { $0.rules.overdueSpeed.changingRate = 0 },
        DetectorPart("overdueSpeed.wrongMetersPerSecond") { $0.rules.overdueSpeed.wrongMetersPerSecond = 0 },
        DetectorPart("overdueSpeed.wrongShare") { $0.rules.overdueSpeed.wrongShare = 0 },
        DetectorPart("overdueSpeed.wrongDrift (whole)") { $0.rules.overdueSpeed.wrongDriftMeters = never },
        DetectorPart("overdueSpeed.wrongDriftMeters") { $0.rules.overdueSpeed.wrongDriftMeters = 0 },
        DetectorPart("overdueSpeed.wrongDriftFactor") { $0.rules.overdueSpeed.wrongDriftFactor = 0 },
        DetectorPart("overdueSpeed.standingEvidenceThreshold=3.5") {
            $0.rules.overdueSpeed.standingEvidenceThreshold = 3.5
        },
        DetectorPart("overdueSpeed.standingNoiseFactor") { $0.rules.overdueSpeed.standingNoiseFactor = 0 },
        DetectorPart("overdueHeading") {
            $0.rules.overdueHeading.weight = 0
            $0.rules.overdueHeading.limits = neverOverdue
        },
        DetectorPart("overdueHeading.evidenceThreshold") { $0.rules.overdueHeading.limits.evidenceThreshold = 0 },
        DetectorPart("overdueHeading.warnThreshold=8") { $0.rules.overdueHeading.limits.warnThreshold = 8 },
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
