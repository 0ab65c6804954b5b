import ArgumentParser
import PositionWorker
import Runtime

/// Sends notifications to riders' phones.
package struct PushWorkerCommand: AsyncParsableCommand {
    /// Records of one batch at most: what is delivered of a batch is remembered until all of it is.
    private static let maximumBatchRecords = 2000

    /// How often requests that ended without a driver are read.
    private static let requestInterval = Duration.seconds(5)

    package static let configuration = CommandConfiguration(
        commandName: "push-worker",
        abstract: "Sends notifications about trips to riders' phones, by APNs and FCM.",
        discussion: """
            Reads rider.updates, and the devices that apps have registered at rider-gateway. Without credentials of a
            service it sends nothing and writes each request to standard output as a line of JSON. All settings come
            from the environment: see docs/configuration.md, and --check-config for what is in force. What is sent is
            described in docs/push.md.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.pushWorker).run(options) { parts in
            let (settings, logger) = (parts.settings, parts.logger)
            let setup = try PushSetup(settings)
            let courier = try await setup.courier()
            let configuration = PushSinkConfiguration(
                redis: try settings.redisConfiguration(), keyPrefix: settings.redis.keyPrefix,
                kafka: settings.kafkaConfiguration, names: settings.topicNames, rendering: setup.rendering,
                maximumAge: settings.push.maximumAge)
            var worker = settings.sinkWorker
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
