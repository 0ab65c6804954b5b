extension DetectorPart {
    /// What several rules go by.
    static let shared: [DetectorPart] = [
        DetectorPart("signals.movingStepMeters") { $0.signals.movingStepMeters = 0 },
        DetectorPart("signals.movingMetersPerSecond") { $0.signals.movingMetersPerSecond = 0 },
        DetectorPart("signals.gapIntervals=1") { $0.signals.gapIntervals = 1 },
        DetectorPart("signals.habitFixes=2") { $0.signals.habitFixes = 2 },
        DetectorPart("signals.windowJitterSeconds") { $0.signals.windowJitterSeconds = 0 },
        DetectorPart("signals.noiseFactor") { $0.signals.noiseFactor = 0 },
        DetectorPart("signals.settlingFixes") { $0.signals.settlingFixes = -1 },
        DetectorPart("signals.stoppingMetersPerSecond") { $0.signals.stoppingMetersPerSecond = 0 },
        DetectorPart("signals.placeToleranceSeconds") { $0.signals.placeToleranceSeconds = 1e9 },
        DetectorPart("signals.leastStepShare") { $0.signals.leastStepShare = -1e9 },
        DetectorPart("signals.greatestStepOfWindow") { $0.signals.greatestStepOfWindow = 1e9 },
        DetectorPart("signals.staleSeconds") { $0.signals.staleSeconds = 0 },
    ]

    /// How signals add up, and whom others excuse.
    static let risks: [DetectorPart] = [
        DetectorPart("risk.maximumHint (all hints)") { $0.risk.maximumHint = 0 },
        DetectorPart("risk.heldEvidence") { $0.risk.heldEvidence = 0 },
        DetectorPart("risk.heldAmbiguousEvidence") { $0.risk.heldAmbiguousEvidence = 0 },
        DetectorPart("risk.held both") {
            $0.risk.heldEvidence = 0
            $0.risk.heldAmbiguousEvidence = 0
        },
        DetectorPart("risk.maximumAmbiguousEvidence=12") { $0.risk.maximumAmbiguousEvidence = 12 },
        DetectorPart("risk.maximumSignal=12") {
            $0.risk.maximumSignal = 12
            $0.risk.maximumWindowEvidence = 12
        },
        DetectorPart("risk.maximumWindowEvidence=12") { $0.risk.maximumWindowEvidence = 12 },
        DetectorPart("risk.maximumEvidence") { $0.risk.maximumEvidence = 1e6 },
        DetectorPart("risk.flagWindows=1") { $0.risk.flagWindows = 1 },
        DetectorPart("disturbance") { $0.disturbance.drivers = 1024 },
        DetectorPart("disturbance.share") { $0.disturbance.share = 0 },
        DetectorPart("disturbance.samePointMeters") { $0.disturbance.samePointMeters = 0 },
    ]
}
