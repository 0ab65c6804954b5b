import ArgumentParser
import Runtime

/// Computes when vehicles arrive, from verdicts and trips.
package struct EtaWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "eta-worker",
        abstract: "Computes when vehicles arrive, whether they are late, and whether their data is stale.",
        discussion: """
            Reads driver.locations and trips. Writes trip.etas, trip.warnings, road.paces and trips.dead-letter. All
            settings come from the environment: see docs/configuration.md, and --check-config for what is in force.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.etaWorker).run(options) { parts in
            let arrival = parts.settings.arrival
            let memorySeconds = parts.settings.tracking.memorySeconds
            let stateForm = parts.settings.tracking.stateForm
            return StreamWorker(
                layout: EtaProcessor.layout(memorySeconds: memorySeconds), names: parts.settings.topicNames,
                kafka: parts.settings.kafkaConfiguration, settings: parts.settings.stageWorker,
                logger: parts.logger
            ) {
                EtaProcessor(
                    partition: $0, arrival: arrival, memorySeconds: memorySeconds, stateForm: stateForm)
            }
        }
    }
}
