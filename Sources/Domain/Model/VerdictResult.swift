import Support

package struct VerdictResult: Sendable {
    package var verdict: Verdict
    package var reasons: Reasons
    /// Probability that the driver's recent fixes are forged, in [0, 1].
    package var risk: Double
    /// Position of the vehicle; present if the fix was accepted, or evaluated and then throttled.
    package var estimate: Estimate?
    /// Time of the fix in server time: device time corrected by the clock offset, or receipt time.
    package var fixedAt: Timestamp
    /// Warnings that start, change or end with this fix.
    package var warnings: [LocationWarning]
    /// Number of sequence numbers skipped before this fix; they may still arrive late.
    package var lostFixes = 0
    /// The signals with which rules have marked this fix.
    package var signals: Signals = []
    /// Up to three signals that contribute most to ``risk``; empty below ``TrackingSettings/Risk/explainedRisk``.
    package var riskSignals: Signals = []
    /// Hash of the ``TrackChunk`` that this fix completes; `nil` if it completes none or a repeated one.
    package var completedTrackChunk: UInt64?
    /// The driver's new entry in ``DisturbanceMemory``; `nil` if unchanged.
    package var anomaly: Anomaly?

    /// Whether the driver is flagged, so that riders must not see the fix.
    package var isFlagged: Bool { reasons.contains(.flagged) }

    /// Adds a warning; replaces an earlier warning with its code, which is less severe or resolved.
    package mutating func add(_ warning: LocationWarning) {
        guard let index = warnings.firstIndex(where: { $0.reason == warning.reason }) else {
            warnings.append(warning)
            return
        }
        warnings[index].action = warning.action
        warnings[index].evidence = warning.evidence
        // An action equal to the action before the fix is not reported, because it is no change.
        if warnings[index].previousAction == warning.action { warnings.remove(at: index) }
    }

    package init(
        verdict: Verdict, reasons: Reasons = [], risk: Double = 0, estimate: Estimate? = nil, fixedAt: Timestamp,
        warnings: [LocationWarning] = []
    ) {
        (self.verdict, self.reasons, self.risk, self.estimate) = (verdict, reasons, risk, estimate)
        (self.fixedAt, self.warnings) = (fixedAt, warnings)
    }
}

/// Outcome of evaluating a fix; every readable fix has exactly one.
package enum Verdict: UInt8, Sendable, CaseIterable {
    /// Updates the live position.
    case accepted
    /// Older than the newest fix, therefore stored only in the history.
    case late
    /// Received before with the same content.
    case duplicate
    /// Over a rate limit of the driver.
    ///
    /// Evaluated and with an estimate if over the off-trip limit only; not evaluated if over the on-trip limit.
    case throttled
    /// Not plausible; see ``Reasons``. Stored only in the history.
    case rejected

    package static let codes: [StaticString] = ["accepted", "late", "duplicate", "throttled", "rejected"]
    package var code: StaticString { Self.codes[Int(rawValue)] }
}
