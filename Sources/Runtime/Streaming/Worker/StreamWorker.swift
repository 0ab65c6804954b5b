import ServiceLifecycle

/// A worker: one thread that drives a stage or a sink against Kafka until it is told to stop.
///
/// A stage's worker has one consumer and one producer, and one stage instance per partition held. What a partition has
/// to remember is read back from the stage's own output when the partition is assigned, so a process may die at any
/// moment; see ``PartitionRestorer``. A sink's worker has one consumer; where a partition continues is what the store says,
/// and while the store is away the worker keeps its partitions and tries the same batch again and again.
package final class StreamWorker: Service {
    /// How the worker is, for the health endpoint.
    package let status: WorkerStatus
    private let control: WorkerControl
    private let work: @Sendable () throws -> Void

    /// `work`: runs the loop; called once, on the worker's thread.
    init(_ frame: WorkerContext, work: @escaping @Sendable () throws -> Void) {
        status = frame.status
        control = frame.control
        self.work = work
    }

    /// Works until the service group shuts down or the task is cancelled.
    ///
    /// A stop finishes the batch, flushes, commits and leaves the group.
    /// - Throws: ``WorkerError`` when the worker cannot go on.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await WorkerThread.run(work)
            } onGracefulShutdown: { [control] in
                control.give(.stop)
            }
        } onCancel: { [control] in
            control.give(.stop)
        }
    }

    /// Asks for the same stop as a graceful shutdown; ``run()`` returns when it is done.
    package func stop() { control.give(.stop) }

    /// Drops everything at once without flushing, committing or leaving the group, as if the process had died.
    package func abandon() { control.give(.abandon) }
}
