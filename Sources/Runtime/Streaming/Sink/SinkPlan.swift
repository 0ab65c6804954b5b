import Processing

/// Everything that the thread of a sink's worker needs.
struct SinkPlan: Sendable {
    let frame: WorkerContext
    /// For each of the topics, whether the headers of its records are looked at.
    let readsHeaders: [Bool]
    let settings: SinkWorkerSettings
    let makeSink: @Sendable () throws -> any Sink
}
