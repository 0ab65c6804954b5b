import Kafka
import Logging
import Processing

extension StreamWorker {
    /// A worker that runs a stage.
    /// - Parameters:
    ///   - layout: the topics, without the prefix.
    ///   - names: the prefix of topics and group.
    ///   - kafka: how to reach the cluster.
    ///   - settings: how to run.
    ///   - logger: gets the stage's name as metadata.
    ///   - makeStage: makes the stage of a partition; called on the worker's thread, once per restore of the partition.
    package convenience init(
        layout: ProcessorLayout, names: TopicNames, kafka: KafkaConfiguration,
        settings: ProcessorWorkerSettings = ProcessorWorkerSettings(), logger: Logger,
        makeStage: @escaping @Sendable (Int32) -> any Processor
    ) {
        precondition(!layout.inputs.isEmpty, "The stage's layout has no inputs.")
        precondition(!layout.outputs.isEmpty, "The stage's layout has no outputs.")
        precondition(settings.problems().isEmpty, "The settings contradict each other; problems() lists how.")
        let frame = WorkerContext(
            name: layout.name, inputs: layout.inputs.map(\.topic), outputs: layout.outputs.map(\.topic), names: names,
            kafka: kafka, commitInterval: settings.commitInterval, logger: logger)
        let plan = ProcessorPlan(frame: frame, layout: layout, settings: settings, makeStage: makeStage)
        self.init(frame) { try ProcessorLoop(plan).run() }
    }
}
