import ArgumentParser

/// `sightline history warnings`: what drivers were warned about.
struct HistoryWarnings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings", abstract: "Warnings of a period by code and action.")

    @OptionGroup var question: PeriodQuestion

    func run() throws { try question.ask("warning_summary", row: Noun("kind of warning", "kinds of warnings")) }
}
