import ArgumentParser
import Processors
import Runtime

package struct EtaWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "eta-worker",
        abstract: "Compute arrival times, delays and staleness of trips.",
        discussion: """
            Reads driver.locations and trips. Writes trip.etas, trip.warnings, road.speeds and trips.dead-letter.
            Settings are environment variables (docs/configuration.md); --check-config prints the effective ones.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.etaWorker).run(options, assemble: Self.worker)
    }

    package static func worker(_ parts: WorkerProcess.Parts) throws -> StreamWorker {
        let arrival = parts.settings.arrival
        let memorySeconds = parts.settings.tracking.memorySeconds
        return StreamWorker(
            layout: EtaProcessor.layout(memorySeconds: memorySeconds), names: parts.settings.topicNames,
            kafka: parts.settings.kafkaConfiguration, settings: parts.settings.worker.processor,
            logger: parts.logger
        ) {
            EtaProcessor(partition: $0, arrival: arrival, memorySeconds: memorySeconds)
        }
    }
}
