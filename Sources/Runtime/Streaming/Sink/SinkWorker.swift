import Kafka
import Logging
import Pipeline
import ServiceLifecycle
import Telemetry

/// Runs a sink: one consumer and one thread that polls, groups by partition, and writes to the store.
///
/// Where a partition goes on is what the store says. While the store is away the worker keeps its partitions and tries
/// the same batch again and again.
package final class SinkWorker: Service {
    /// Everything the worker's thread needs.
    struct Plan: Sendable {
        let name: String
        /// Without the prefix.
        let topics: [String]
        /// For each of ``topics``, whether the headers of its records are looked at.
        let readsHeaders: [Bool]
        let names: TopicNames
        let kafka: KafkaConfiguration
        let settings: SinkWorkerSettings
        let logger: Logger
        let control: WorkerControl
        let status: WorkerStatus
        let makeSink: @Sendable () throws -> any Sink
    }

    /// How the worker is, for the health endpoint.
    package let status = WorkerStatus()
    private let control = WorkerControl()
    private let plan: Plan

    /// - Parameters:
    ///   - type: the sink, for its name and topics.
    ///   - names: the prefix of topics and group.
    ///   - kafka: how to reach the cluster.
    ///   - settings: how to run.
    ///   - logger: gets the sink's name as metadata.
    ///   - makeSink: makes the sink; called once, on the worker's thread.
    package init<Kind: Sink>(
        _ type: Kind.Type, names: TopicNames, kafka: KafkaConfiguration,
        settings: SinkWorkerSettings = SinkWorkerSettings(), logger: Logger,
        makeSink: @escaping @Sendable () throws -> Kind
    ) {
        precondition(!type.topics.isEmpty, "The sink names no topics.")
        precondition(settings.problems().isEmpty, "The settings contradict each other; problems() lists how.")
        var logger = logger
        logger[metadataKey: LogKey.stage.rawValue] = "\(type.name)"
        plan = Plan(
            name: type.name, topics: type.topics,
            readsHeaders: type.topics.map { !type.topicsWithoutHeaders.contains($0) }, names: names, kafka: kafka,
            settings: settings, logger: logger, control: control, status: status, makeSink: makeSink)
    }

    /// Works until the service group shuts down or the task is cancelled.
    /// - Throws: ``WorkerError`` when the worker cannot go on.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                let plan = plan
                try await WorkerThread.run { try SinkLoop(plan).run() }
            } onGracefulShutdown: { [control] in
                control.give(.stop)
            }
        } onCancel: { [control] in
            control.give(.stop)
        }
    }

    /// Asks for the same stop as a graceful shutdown; ``run()`` returns when it is done.
    package func stop() { control.give(.stop) }

    /// Lets go of everything at once without committing or leaving the group, as if the process had died.
    package func abandon() { control.give(.abandon) }
}
