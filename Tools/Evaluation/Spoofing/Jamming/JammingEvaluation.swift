import Domain

/// Measures what becomes of honest drivers in a jammed quarter, with what the judge knows of disturbances and without.
enum JammingEvaluation {
    /// More drivers than there are: no disturbance is ever seen.
    private static let never = 1024

    static func rows(towns: Int, seed: UInt64, _ settings: TrackingSettings) -> [SpoofingReport.Jamming] {
        var without = settings
        without.disturbance.drivers = never
        let variants = [("as it is", settings), ("without disturbances", without)]
        var tallies = Array(
            repeating: Array(repeating: JammingTally(), count: variants.count), count: JammingKind.allCases.count)
        for number in 0..<towns {
            let town = JammedTown(seed: seed, number: number)
            for (kindIndex, kind) in JammingKind.allCases.enumerated() {
                let traces =
                    kind == .cheaters ? town.withCheaters(seed: seed) : town.jammed(kind, seed: seed &+ UInt64(number))
                for (index, variant) in variants.enumerated() {
                    var run = EvaluatedRun(settings: variant.1)
                    tallies[kindIndex][index].add(traces, run.judge(traces))
                }
            }
        }
        return zip(JammingKind.allCases, tallies).flatMap { kind, tallies in
            zip(variants, tallies).map { SpoofingReport.Jamming(kind, $0.0, $1) }
        }
    }
}
