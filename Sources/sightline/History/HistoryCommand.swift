import ArgumentParser

/// `sightline history`: what people ask of the history, each a question that psql can ask too.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Ask, export and look after the history in Postgres.",
        discussion: """
            The questions are SQL functions of the database: trip_path, driver_track, driver_position_at, drivers_near, \
            trip_distance, eta_accuracy, warning_summary and history_duplicates, described by \\df+ in psql.
            """,
        subcommands: [
            HistoryTripPath.self, HistoryDriverTrack.self, HistoryPositionAt.self, HistoryNear.self,
            HistoryTripDistance.self, HistoryEtaAccuracy.self, HistoryWarnings.self, HistoryExport.self,
            HistoryVerify.self, HistoryMaintain.self,
        ])
}
