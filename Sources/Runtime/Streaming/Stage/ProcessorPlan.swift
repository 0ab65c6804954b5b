import Processing

/// Everything that the thread of a stage's worker needs.
struct ProcessorPlan: Sendable {
    let frame: WorkerContext
    let layout: ProcessorLayout
    let settings: ProcessorWorkerSettings
    let makeStage: @Sendable (Int32) -> any Processor
}
