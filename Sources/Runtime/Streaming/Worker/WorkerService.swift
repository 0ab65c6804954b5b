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

extension StreamWorker: WorkerService {}
