import ArgumentParser
import Runtime

package struct PositionWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "position-worker",
        abstract: "Store latest positions, nearest-driver sets, trails and trip snapshots in Redis.",
        discussion: """
            Reads driver.locations and rider.updates. Settings are environment variables (docs/configuration.md);
            --check-config prints the effective ones.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.positionWorker).run(options, assemble: Self.worker)
    }

    package static func worker(_ parts: WorkerProcess.Parts) throws -> StreamWorker {
        let configuration = try parts.settings.positionSink()
        return StreamWorker(
            PositionSink.self, names: parts.settings.topicNames, kafka: parts.settings.kafkaConfiguration,
            settings: parts.settings.worker.sink, logger: parts.logger
        ) { PositionSink(configuration) }
    }
}
