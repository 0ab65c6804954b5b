import ArgumentParser
import PositionWorker
import Runtime

package struct PushWorkerCommand: AsyncParsableCommand {
    /// Maximum records per batch; their delivery results are kept until the batch is complete.
    private static let maximumBatchRecords = 2000

    /// Interval between reads of requests that ended without a driver.
    private static let requestInterval = Duration.seconds(5)

    package static let configuration = CommandConfiguration(
        commandName: "push-worker",
        abstract: "Send push notifications about trips by APNs and FCM.",
        discussion: """
            Reads rider.updates, and the devices that apps have registered at rider-gateway. Without any
            credentials it writes each request to standard output as a line of JSON. docs/push.md describes the
            notifications. Settings are environment variables (docs/configuration.md); --check-config prints the
            effective ones.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.pushWorker).run(options) { parts in
            let (settings, logger) = (parts.settings, parts.logger)
            let setup = try PushSetup(settings)
            let courier = try setup.courier()
            let configuration = PushSinkConfiguration(
                redis: try settings.redisConfiguration(), keyPrefix: settings.redis.keyPrefix,
                kafka: settings.kafkaConfiguration, names: settings.topicNames, rendering: setup.rendering,
                maximumAge: settings.push.maximumAge)
            var worker = settings.worker.sink
            worker.maximumBatchRecords = min(worker.maximumBatchRecords, Self.maximumBatchRecords)
            worker.maintenanceInterval = Self.requestInterval
            logger.notice("\(setup.announcement)")
            return StreamWorker(
                PushSink.self, names: settings.topicNames, kafka: settings.kafkaConfiguration, settings: worker,
                logger: logger
            ) {
                PushSink(configuration, courier: courier, logger: logger, makeTransport: setup.makeTransport)
            }
        }
    }
}
