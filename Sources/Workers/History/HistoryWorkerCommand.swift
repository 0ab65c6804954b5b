import ArgumentParser
import Runtime

/// Keeps the history in Postgres.
package struct HistoryWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "history-worker",
        abstract: "Keeps every verdict, warning, trip event and promised arrival in Postgres.",
        discussion: """
            Reads driver.locations, driver.warnings, trip.etas and trip.warnings. The database must have been prepared
            with `sightline migrate`. All settings come from the environment: see docs/configuration.md, and
            --check-config for what is in force.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.historyWorker).run(options) { parts in
            let configuration = parts.settings.historySink
            return StreamWorker(
                HistorySink.self, names: parts.settings.topicNames, kafka: parts.settings.kafkaConfiguration,
                topicsWithoutHeaders: configuration.topicsWithoutHeaders, settings: parts.settings.sinkWorker,
                logger: parts.logger
            ) { HistorySink(configuration) }
        }
    }
}
