import Kafka
import Logging
import Processing

extension StreamWorker {
    /// A worker that runs a sink.
    /// - Parameters:
    ///   - type: the sink, for its name and topics.
    ///   - names: the prefix of topics and group.
    ///   - kafka: how to reach the cluster.
    ///   - topicsWithoutHeaders: those of the sink's topics whose headers are not looked at; those that its type names
    ///     unless given.
    ///   - settings: how to run.
    ///   - logger: gets the sink's name as metadata.
    ///   - makeSink: makes the sink; called once, on the worker's thread.
    package convenience init<Kind: Sink>(
        _ type: Kind.Type, names: TopicNames, kafka: KafkaConfiguration, topicsWithoutHeaders: Set<String>? = nil,
        settings: SinkWorkerSettings = SinkWorkerSettings(), logger: Logger,
        makeSink: @escaping @Sendable () throws -> Kind
    ) {
        precondition(!type.topics.isEmpty, "The sink names no topics.")
        precondition(settings.problems().isEmpty, "The settings contradict each other; problems() lists how.")
        let frame = WorkerContext(
            name: type.name, inputs: type.topics, names: names, kafka: kafka, commitInterval: settings.commitInterval,
            maintenanceInterval: settings.maintenanceInterval, logger: logger)
        let withoutHeaders = topicsWithoutHeaders ?? type.topicsWithoutHeaders
        let plan = SinkPlan(
            frame: frame, readsHeaders: type.topics.map { !withoutHeaders.contains($0) },
            settings: settings, makeSink: makeSink)
        self.init(frame) { try SinkLoop(plan).run() }
    }
}
