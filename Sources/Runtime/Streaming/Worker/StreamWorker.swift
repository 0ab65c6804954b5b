import Kafka
import Logging
import Processing
import ServiceLifecycle

/// Main service of a worker or gateway process.
package protocol WorkerService: Service {
    var status: WorkerStatus { get }
    /// All services in starting order; stopped in reverse.
    var services: [any Service] { get }
}

extension WorkerService {
    package var services: [any Service] { [self] }
}

/// Service that runs a processor or sink against Kafka on one thread.
///
/// A processor's worker has a consumer, a producer, a reader for restores, and a processor per assigned partition. It
/// restores a partition's state from the processor's outputs, so a crash loses nothing; see ``PartitionRestorer``.
/// A sink's worker has a consumer. The store determines where a partition continues; while the store is unavailable,
/// the worker keeps its partitions and retries the same batch.
package final class StreamWorker: WorkerService {
    package let status: WorkerStatus
    private let control: WorkerControl
    private let work: @Sendable () throws -> Void

    /// Creates a worker; `work` runs the loop, and is called once, on the worker's thread.
    init(_ context: WorkerContext, work: @escaping @Sendable () throws -> Void) {
        status = context.status
        control = context.control
        self.work = work
    }

    /// Runs until a graceful shutdown or cancellation, which finish the batch, flush, commit and leave the group.
    /// - Throws: ``WorkerError`` if the worker fails.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await WorkerThread.run(work)
            } onGracefulShutdown: { [control] in
                control.request(.stop)
            }
        } onCancel: { [control] in
            control.request(.stop)
        }
    }

    /// Runs on the calling thread until ``stop()`` or ``abandon()`` is called.
    /// - Throws: ``WorkerError`` if the worker fails.
    package func runOnCallingThread() throws { try work() }

    /// Requests a graceful stop, after which ``run()`` returns.
    package func stop() { control.request(.stop) }

    /// Stops without flushing, committing or leaving the group, as if the process had crashed.
    package func abandon() { control.request(.abandon) }
}

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
        settings.validate()
        let context = WorkerContext(
            name: layout.name, inputs: layout.inputs.map(\.topic), outputs: layout.outputs.map(\.topic), names: names,
            kafka: kafka, commitInterval: settings.commitInterval, logger: logger)
        self.init(context) {
            try ProcessorLoop(context, layout: layout, settings: settings, makeProcessor: makeProcessor).run()
        }
    }

    /// Creates a worker that runs a sink.
    ///
    /// `topicsWithoutHeaders`: topics whose headers are not parsed; defaults to those of `type`. `makeSink`: creates
    /// the sink; called once, on the worker's thread.
    package convenience init<Kind: Sink>(
        _ type: Kind.Type, names: TopicNames, kafka: KafkaConfiguration, topicsWithoutHeaders: Set<String>? = nil,
        settings: SinkWorkerSettings = SinkWorkerSettings(), logger: Logger,
        makeSink: @escaping @Sendable () throws -> Kind
    ) {
        precondition(!type.topics.isEmpty, "The sink has no topics.")
        settings.validate()
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
