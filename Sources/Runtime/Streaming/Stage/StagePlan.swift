import Pipeline

/// Everything that the thread of a stage's worker needs.
struct StagePlan: Sendable {
    let frame: WorkerFrame
    let layout: StageLayout
    let settings: StageWorkerSettings
    let makeStage: @Sendable (Int32) -> any Stage
}
