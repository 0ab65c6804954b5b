import Kafka
import Logging
import Processing

extension StreamWorker {
    /// Creates a worker that runs a sink.
    ///
    /// `topicsWithoutHeaders`: topics whose headers are not parsed; defaults to those of `type`. `makeSink`: creates
    /// the sink; called once, on the worker's thread.
    package convenience init<Kind: Sink>(
        _ type: Kind.Type, names: TopicNames, kafka: KafkaConfiguration, topicsWithoutHeaders: Set<String>? = nil,
        settings: SinkWorkerSettings = SinkWorkerSettings(), logger: Logger,
        makeSink: @escaping @Sendable () throws -> Kind
    ) {
        precondition(!type.topics.isEmpty, "The sink names no topics.")
        precondition(settings.problems().isEmpty, "The settings contradict each other; problems() lists how.")
        let context = WorkerContext(
            name: type.name, inputs: type.topics, names: names, kafka: kafka, commitInterval: settings.commitInterval,
            maintenanceInterval: settings.maintenanceInterval, logger: logger)
        let withoutHeaders = topicsWithoutHeaders ?? type.topicsWithoutHeaders
        let readsHeaders = type.topics.map { !withoutHeaders.contains($0) }
        let makeSink: @Sendable () throws -> any Sink = makeSink
        self.init(context) {
            try SinkLoop(context, readsHeaders: readsHeaders, settings: settings, makeSink: makeSink).run()
        }
    }
}
