import ArgumentParser
import Processors
import Runtime

package struct LocationWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "location-worker",
        abstract: "Detect spoofing in raw driver locations and smooth them.",
        discussion: """
            Reads driver.locations.raw. Writes driver.locations (one verdict per fix), driver.warnings,
            driver.tracks and driver.locations.dead-letter. Settings are environment variables
            (docs/configuration.md); --check-config prints the effective ones.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.locationWorker).run(options, assemble: Self.worker)
    }

    package static func worker(_ parts: WorkerProcess.Parts) throws -> StreamWorker {
        let tracking = parts.settings.tracking
        return StreamWorker(
            layout: LocationProcessor.layout(settings: tracking), names: parts.settings.topicNames,
            kafka: parts.settings.kafkaConfiguration, settings: parts.settings.worker.processor,
            logger: parts.logger
        ) { LocationProcessor(partition: $0, settings: tracking) }
    }
}
