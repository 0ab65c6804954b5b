import ArgumentParser
import Runtime

/// Decides what riders are told, and when.
package struct BroadcastWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "broadcast-worker",
        abstract: "Publishes what riders see of a trip, no more often than it helps them.",
        discussion: """
            Reads trip.etas. Writes rider.updates. All settings come from the environment: see docs/configuration.md,
            and --check-config for what is in force.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.broadcastWorker).run(options) { parts in
            let broadcast = parts.settings.broadcast
            let memorySeconds = parts.settings.tracking.memorySeconds
            let stateForm = parts.settings.tracking.stateForm
            return StreamWorker(
                layout: BroadcastProcessor.layout(memorySeconds: memorySeconds), names: parts.settings.topicNames,
                kafka: parts.settings.kafkaConfiguration, settings: parts.settings.stageWorker,
                logger: parts.logger
            ) {
                BroadcastProcessor(
                    partition: $0, settings: broadcast, memorySeconds: memorySeconds, stateForm: stateForm)
            }
        }
    }
}
