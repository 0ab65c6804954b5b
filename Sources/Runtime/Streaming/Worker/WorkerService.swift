import ServiceLifecycle

/// What a process of the pipeline runs, with what its health endpoint says of it.
package protocol WorkerService: Service {
    var status: WorkerStatus { get }
    /// Everything that runs, in the order of the start; stopped in reverse.
    var services: [any Service] { get }
}

extension WorkerService {
    package var services: [any Service] { [self] }
}

extension StreamWorker: WorkerService {}
