import ServiceLifecycle

/// Service that runs a processor or sink against Kafka on one thread.
///
/// A processor's worker has one consumer, one producer, and a processor per assigned partition. State is restored from
/// the processor's outputs when a partition is assigned, so a process may crash at any time; see ``PartitionRestorer``.
/// A sink's worker has one consumer; the store determines where a partition continues, and while it is unavailable the
/// worker keeps its partitions and retries the same batch.
package final class StreamWorker: Service {
    package let status: WorkerStatus
    private let control: WorkerControl
    private let work: @Sendable () throws -> Void

    /// `work`: runs the loop; called once, on the worker's thread.
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

    /// Requests a graceful stop, after which ``run()`` returns.
    package func stop() { control.request(.stop) }

    /// Stops without flushing, committing or leaving the group, as if the process had died.
    package func abandon() { control.request(.abandon) }
}
