import ArgumentParser

/// `sightline history verify`: proves that nothing was written twice.
struct HistoryVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Count events that were written twice; exits with 1 when there are any.")

    @OptionGroup var question: PeriodQuestion

    func run() throws {
        let (connection, bounds) = try question.ask("history_duplicates", row: Noun("table"))
        let doubled = try connection.execute(
            "SELECT coalesce(sum(doubled), 0)::bigint FROM history_duplicates($1, $2)", bounds)
        if try doubled.first?.integer(0) != 0 { throw ExitCode(1) }
    }
}
