import ArgumentParser
import Runtime

/// Judges and smooths raw driver locations: one verdict per fix.
package struct LocationWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "location-worker",
        abstract: "Judges and smooths raw driver locations: one verdict per fix.",
        discussion: """
            Reads driver.locations.raw. Writes driver.locations, driver.warnings, driver.tracks and
            driver.locations.dead-letter. All settings come from the environment: see docs/configuration.md, and
            --check-config for what is in force.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.locationWorker).run(options) { parts in
            let tracking = parts.settings.tracking
            return StreamWorker(
                layout: LocationProcessor.layout(settings: tracking), names: parts.settings.topicNames,
                kafka: parts.settings.kafkaConfiguration, settings: parts.settings.stageWorker,
                logger: parts.logger
            ) { LocationProcessor(partition: $0, settings: tracking) }
        }
    }
}
