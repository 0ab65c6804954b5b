import Kafka
import Logging
import Processing

extension StreamWorker {
    /// Creates a worker that runs a processor.
    ///
    /// `layout`: the topics, without the prefix. `makeProcessor`: creates the processor of a partition; called on the
    /// worker's thread, once per restore.
    package convenience init(
        layout: ProcessorLayout, names: TopicNames, kafka: KafkaConfiguration,
        settings: ProcessorWorkerSettings = ProcessorWorkerSettings(), logger: Logger,
        makeProcessor: @escaping @Sendable (Int32) -> any Processor
    ) {
        precondition(!layout.inputs.isEmpty, "The layout has no inputs.")
        precondition(!layout.outputs.isEmpty, "The layout has no outputs.")
        precondition(settings.problems().isEmpty, "The settings contradict each other; problems() lists how.")
        let context = WorkerContext(
            name: layout.name, inputs: layout.inputs.map(\.topic), outputs: layout.outputs.map(\.topic), names: names,
            kafka: kafka, commitInterval: settings.commitInterval, logger: logger)
        self.init(context) {
            try ProcessorLoop(context, layout: layout, settings: settings, makeProcessor: makeProcessor).run()
        }
    }
}
