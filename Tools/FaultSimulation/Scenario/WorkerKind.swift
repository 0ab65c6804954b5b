import HistoryWorker
import Logging
import PositionWorker
import ProcessorWorkers
import Runtime

/// The workers of a simulated pipeline.
enum WorkerKind: String, CaseIterable {
    case location = "location-worker"
    case eta = "eta-worker"
    case broadcast = "broadcast-worker"
    case position = "position-worker"
    case history = "history-worker"

    /// Creates a worker as its program does.
    func makeWorker(_ parts: WorkerProcess.Parts) throws -> StreamWorker {
        switch self {
        case .location: try LocationWorkerCommand.worker(parts)
        case .eta: try EtaWorkerCommand.worker(parts)
        case .broadcast: try BroadcastWorkerCommand.worker(parts)
        case .position: try PositionWorkerCommand.worker(parts)
        case .history: try HistoryWorkerCommand.worker(parts)
        }
    }

    var program: Program {
        switch self {
        case .location: .locationWorker
        case .eta: .etaWorker
        case .broadcast: .broadcastWorker
        case .position: .positionWorker
        case .history: .historyWorker
        }
    }
}
