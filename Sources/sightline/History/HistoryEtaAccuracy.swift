import ArgumentParser

/// `sightline history eta-accuracy`: how good the promises were.
struct HistoryEtaAccuracy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta-accuracy", abstract: "How good the promised arrivals of a period were, by horizon.")

    @OptionGroup var question: PeriodQuestion

    func run() throws { try question.ask("eta_accuracy", row: Noun("horizon")) }
}
