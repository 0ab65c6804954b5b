import Tracking

extension JudgePart {
    /// What several rules go by.
    static let shared: [JudgePart] = [
        JudgePart("signals.movingStepMeters") { $0.signals.movingStepMeters = 0 },
        JudgePart("signals.movingMetersPerSecond") { $0.signals.movingMetersPerSecond = 0 },
        JudgePart("signals.gapIntervals=1") { $0.signals.gapIntervals = 1 },
        JudgePart("signals.habitFixes=2") { $0.signals.habitFixes = 2 },
        JudgePart("signals.windowJitterSeconds") { $0.signals.windowJitterSeconds = 0 },
        JudgePart("signals.noiseFactor") { $0.signals.noiseFactor = 0 },
        JudgePart("signals.settlingFixes") { $0.signals.settlingFixes = -1 },
        JudgePart("signals.stoppingMetersPerSecond") { $0.signals.stoppingMetersPerSecond = 0 },
        JudgePart("signals.placeToleranceSeconds") { $0.signals.placeToleranceSeconds = 1e9 },
        JudgePart("signals.leastStepShare") { $0.signals.leastStepShare = -1e9 },
        JudgePart("signals.greatestStepOfWindow") { $0.signals.greatestStepOfWindow = 1e9 },
        JudgePart("signals.staleSeconds") { $0.signals.staleSeconds = 0 },
    ]

    /// How signals add up, and whom others excuse.
    static let risks: [JudgePart] = [
        JudgePart("risk.maximumHint (all hints)") { $0.risk.maximumHint = 0 },
        JudgePart("risk.heldEvidence") { $0.risk.heldEvidence = 0 },
        JudgePart("risk.heldSkyEvidence") { $0.risk.heldSkyEvidence = 0 },
        JudgePart("risk.held both") {
            $0.risk.heldEvidence = 0
            $0.risk.heldSkyEvidence = 0
        },
        JudgePart("risk.maximumSkyEvidence=12") { $0.risk.maximumSkyEvidence = 12 },
        JudgePart("risk.maximumSignal=12") {
            $0.risk.maximumSignal = 12
            $0.risk.maximumWindowEvidence = 12
        },
        JudgePart("risk.maximumWindowEvidence=12") { $0.risk.maximumWindowEvidence = 12 },
        JudgePart("risk.maximumEvidence") { $0.risk.maximumEvidence = 1e6 },
        JudgePart("risk.flagWindows=1") { $0.risk.flagWindows = 1 },
        JudgePart("disturbance") { $0.disturbance.drivers = 1024 },
        JudgePart("disturbance.share") { $0.disturbance.share = 0 },
        JudgePart("disturbance.samePointMeters") { $0.disturbance.samePointMeters = 0 },
    ]
}
