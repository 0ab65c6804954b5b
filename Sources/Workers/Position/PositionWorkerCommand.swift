import ArgumentParser
import Runtime

/// Keeps the latest positions in Redis.
package struct PositionWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "position-worker",
        abstract: "Keeps the latest positions, nearest-driver sets, trails and trip snapshots in Redis.",
        discussion: """
            Reads driver.locations and rider.updates. All settings come from the environment: see
            docs/configuration.md, and --check-config for what is in force.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.positionWorker).run(options) { parts in
            let configuration = try parts.settings.positionSink()
            return StreamWorker(
                PositionSink.self, names: parts.settings.topicNames, kafka: parts.settings.kafkaConfiguration,
                settings: parts.settings.sinkWorker, logger: parts.logger
            ) { try PositionSink(configuration) }
        }
    }
}
