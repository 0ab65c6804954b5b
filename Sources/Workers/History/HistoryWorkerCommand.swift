import ArgumentParser
import Runtime

package struct HistoryWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "history-worker",
        abstract: "Store verdicts, warnings, trip events and arrival times in Postgres.",
        discussion: """
            Reads driver.locations, driver.warnings, trip.etas and trip.warnings. Prepare the database with
            `sightline migrate`. Settings are environment variables (docs/configuration.md); --check-config prints the
            effective ones.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.historyWorker).run(options, assemble: Self.worker)
    }

    package static func worker(_ parts: WorkerProcess.Parts) throws -> StreamWorker {
        let configuration = parts.settings.historySink
        return StreamWorker(
            HistorySink.self, names: parts.settings.topicNames, kafka: parts.settings.kafkaConfiguration,
            topicsWithoutHeaders: configuration.topicsWithoutHeaders, settings: parts.settings.worker.sink,
            logger: parts.logger
        ) { HistorySink(configuration) }
    }
}
