import ArgumentParser
import Processors
import Runtime

package struct BroadcastWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "broadcast-worker",
        abstract: "Publish rider updates for trips and routes.",
        discussion: """
            Reads trip.etas. Writes rider.updates. Settings are environment variables (docs/configuration.md);
            --check-config prints the effective ones.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.broadcastWorker).run(options, assemble: Self.worker)
    }

    package static func worker(_ parts: WorkerProcess.Parts) throws -> StreamWorker {
        let broadcast = parts.settings.broadcast
        let memorySeconds = parts.settings.tracking.memorySeconds
        return StreamWorker(
            layout: BroadcastProcessor.layout(memorySeconds: memorySeconds), names: parts.settings.topicNames,
            kafka: parts.settings.kafkaConfiguration, settings: parts.settings.worker.processor,
            logger: parts.logger
        ) {
            BroadcastProcessor(partition: $0, settings: broadcast, memorySeconds: memorySeconds)
        }
    }
}
