/// Measures what each part of the judge is good for, by leaving out one after the other.
///
/// Pure and seeded: the same recordings and options give the same report.
package enum AblationEvaluation {
    /// `progress` is told in a few words what is being done.
    package static func report(
        on recordings: [NamedRecording], _ options: SpoofingOptions, parts: [DetectorPart] = DetectorPart.all,
        progress: (String) -> Void = { _ in }
    ) -> AblationReport {
        var options = options
        // What these add says nothing of a part, and would take hours.
        options.samplings = []
        options.fillsMemory = false
        options.measuresRaces = false
        progress("judging with all parts")
        let whole = AblationScore(on: recordings, options)
        var report = AblationReport(options, fixes: whole.outcomes.count)
        for part in parts {
            progress("judging without \(part.name)")
            var without = options
            part.leaveOut(&without.settings)
            report.add(part.name, AblationScore(on: recordings, without), against: whole)
        }
        return report
    }
}
