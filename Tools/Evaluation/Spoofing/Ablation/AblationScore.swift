/// What the judge makes of recordings and attacks with one set of settings.
struct AblationScore: Sendable {
    /// Of all fixes of the recordings, in their order.
    let outcomes: [FixOutcome]
    /// Of the recordings, simulated hours and attacks.
    let report: SpoofingReport

    init(on recordings: [NamedRecording], _ options: SpoofingOptions) {
        outcomes = recordings.flatMap { recording in
            var run = EvaluatedRun(settings: options.settings)
            return run.judge(recording.traces).flatMap { $0 }
        }
        report = SpoofingEvaluation.report(on: recordings, options)
    }

    /// Honest drivers blamed, in recordings and simulated hours together.
    var alarms: SpoofingReport.Alarms {
        let honest = [report.honestTotal, report.simulated].compactMap { $0 }
        return SpoofingReport.Alarms(
            rejections: honest.reduce(0) { $0 + $1.rejectedGoodFixes },
            suspects: honest.reduce(0) { $0 + $1.suspectOnsets }, flags: honest.reduce(0) { $0 + $1.flaggedOnsets })
    }
}
