import ArgumentParser

/// `sightline history`: queries, exports and maintains the history.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Query, export and maintain the history in Postgres.",
        discussion: """
            The queries are SQL functions of the database: trip_path, driver_track, driver_position_at, drivers_near, \
            trip_distance, eta_accuracy, warning_summary and history_duplicates; \\df+ in psql describes them.
            """,
        subcommands: [
            HistoryTripPath.self, HistoryDriverTrack.self, HistoryPositionAt.self, HistoryNear.self,
            HistoryTripDistance.self, HistoryEtaAccuracy.self, HistoryWarnings.self, HistoryExport.self,
            HistoryVerify.self, HistoryMaintain.self,
        ])
}
