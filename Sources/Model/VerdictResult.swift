import Support

/// The answer to one fix.
package struct VerdictResult: Sendable {
    package var verdict: Verdict
    package var reasons: Reasons
    /// How likely the driver's recent fixes are forged, in [0, 1].
    package var risk: Double
    /// Where the vehicle is; present when `verdict` is ``Verdict/accepted``, and when it is ``Verdict/throttled`` and the
    /// fix was judged.
    package var estimate: Estimate?
    /// When the fix was taken, in the pipeline's time: device time with the driver's clock offset removed, or receipt.
    package var fixedAt: Timestamp
    /// Warnings that start, change or end with this fix; mostly empty, which allocates nothing.
    package var warnings: [LocationWarning]
    /// Sequence numbers skipped before this fix; they may still arrive late.
    package var lostFixes = 0
    /// The soft signals that raised the risk with this fix.
    package var signals: Signals = []
    /// The signals that ``risk`` is from, by what they have added to it: three at most, and none while it is below
    /// ``TrackingSettings/Risk/explainedRisk``.
    package var riskSignals: Signals = []
    /// The hash of a chunk of track that this fix completes and that was not driven before, to be remembered.
    package var completedTrackChunk: UInt64?
    /// What the partition's ``DisturbanceMemory`` now holds of the driver, where this fix changed it.
    package var anomaly: Anomaly?

    /// Whether the driver is taken for a forger, so that riders must not be shown the fix.
    package var isFlagged: Bool { reasons.contains(.flagged) }

    /// Adds a warning; one of the same code that the fix gave before is replaced: its action was the less severe, or it
    /// said that the code is over.
    package mutating func add(_ warning: LocationWarning) {
        guard let index = warnings.firstIndex(where: { $0.reason == warning.reason }) else {
            warnings.append(warning)
            return
        }
        warnings[index].action = warning.action
        warnings[index].evidence = warning.evidence
        // Back to what was told before the fix: nothing has changed.
        if warnings[index].previousAction == warning.action { warnings.remove(at: index) }
    }

    package init(
        verdict: Verdict, reasons: Reasons = [], risk: Double = 0, estimate: Estimate? = nil, fixedAt: Timestamp,
        warnings: [LocationWarning] = []
    ) {
        self.verdict = verdict
        self.reasons = reasons
        self.risk = risk
        self.estimate = estimate
        self.fixedAt = fixedAt
        self.warnings = warnings
    }
}
