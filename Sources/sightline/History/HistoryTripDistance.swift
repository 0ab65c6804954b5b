import ArgumentParser

/// `sightline history trip-distance`: metres driven against metres planned.
struct HistoryTripDistance: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip-distance",
        abstract: "Metres driven against metres planned and along the route, and what they speak of.")

    @Argument(help: "The trip.") var trip: String
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    func run() throws {
        try format.write(
            "SELECT * FROM trip_distance($1)", [.text(trip)], over: try postgres.connectToHistory(),
            AnswerText(
                row: Noun("trip"),
                nothing: "No trip record of \(AnswerText.id(trip)) is in the history. What the fixes that name it say: "
                    + "`sightline history trip-path`."))
    }
}
