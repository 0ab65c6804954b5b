import Kafka
import Logging
import Pipeline
import ServiceLifecycle
import Telemetry

/// Runs a stage against Kafka: one consumer, one thread that polls batches and drives the stage, one producer.
///
/// One stage instance per partition held. What a partition has to remember is read back from the stage's own output
/// when the partition is assigned, so a process may die at any moment; see ``TaskRestorer``.
package final class StageWorker: Service {
    /// Everything the worker's thread needs.
    struct Plan: Sendable {
        let layout: StageLayout
        let names: TopicNames
        let kafka: KafkaConfiguration
        let settings: StageWorkerSettings
        let logger: Logger
        let control: WorkerControl
        let status: WorkerStatus
        let makeStage: @Sendable (Int32) -> any Stage
    }

    /// How the worker is, for the health endpoint.
    package let status = WorkerStatus()
    private let control = WorkerControl()
    private let plan: Plan

    /// - Parameters:
    ///   - layout: the topics, without the prefix.
    ///   - names: the prefix of topics and group.
    ///   - kafka: how to reach the cluster.
    ///   - settings: how to run.
    ///   - logger: gets the stage's name as metadata.
    ///   - makeStage: makes the stage of a partition; called on the worker's thread, once per restore of the partition.
    package init(
        layout: StageLayout, names: TopicNames, kafka: KafkaConfiguration,
        settings: StageWorkerSettings = StageWorkerSettings(), logger: Logger,
        makeStage: @escaping @Sendable (Int32) -> any Stage
    ) {
        precondition(!layout.inputs.isEmpty, "The stage's layout has no inputs.")
        precondition(!layout.outputs.isEmpty, "The stage's layout has no outputs.")
        precondition(settings.problems().isEmpty, "The settings contradict each other; problems() lists how.")
        var logger = logger
        logger[metadataKey: LogKey.stage.rawValue] = "\(layout.name)"
        plan = Plan(
            layout: layout, names: names, kafka: kafka, settings: settings, logger: logger, control: control,
            status: status, makeStage: makeStage)
    }

    /// Works until the service group shuts down or the task is cancelled.
    ///
    /// A stop finishes the batch, flushes, commits and leaves the group.
    /// - Throws: ``WorkerError`` when the worker cannot go on.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                let plan = plan
                try await WorkerThread.run { try StageLoop(plan).run() }
            } onGracefulShutdown: { [control] in
                control.give(.stop)
            }
        } onCancel: { [control] in
            control.give(.stop)
        }
    }

    /// Asks for the same stop as a graceful shutdown; ``run()`` returns when it is done.
    package func stop() { control.give(.stop) }

    /// Lets go of everything at once without flushing, committing or leaving the group, as if the process had died.
    package func abandon() { control.give(.abandon) }
}
