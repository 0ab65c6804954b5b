import Domain
import Runtime
import SightlineCLI

/// The topics, workers and services of one simulation.
final class SimulatedPipeline {
    let world: World
    let partitionCount: Int
    private(set) var workers: [SimulatedWorker] = []
    private var workerCount = 0
    /// What went wrong.
    private(set) var violations: [String] = []

    /// The settings of the workers and of the audit.
    let environment: [String: String]

    init(_ world: World, partitions: Int, memorySeconds: Int) {
        self.world = world
        partitionCount = partitions
        environment = [
            "KAFKA_BOOTSTRAP_SERVERS": "simulated:9092", "KAFKA_SESSION_TIMEOUT_MS": "6000",
            "KAFKA_MAX_POLL_INTERVAL_MS": "30000", "SIGHTLINE_MEMORY_SECONDS": "\(memorySeconds)",
            // Idle workers wake up less often, which makes a simulation faster.
            "SIGHTLINE_POLL_WAIT_MS": "300",
            "REDIS_URL": "redis://simulated:6379", "POSTGRES_URL": "postgres://simulated:5432/sightline",
        ]
        for topic in PipelineTopic.allCases { world.log.create(topic.rawValue, partitions: partitions) }
    }

    @discardableResult
    func startWorker(_ kind: WorkerKind) -> SimulatedWorker? {
        workerCount += 1
        do {
            let worker = try SimulatedWorker(kind, number: workerCount, environment: environment, world)
            workers.append(worker)
            return worker
        } catch {
            violations.append("\(kind.rawValue) could not be started: \(error)")
            return nil
        }
    }

    func running(_ kind: WorkerKind) -> [SimulatedWorker] {
        workers.filter { $0.kind == kind && $0.isRunning && !$0.isStopping }
    }

    /// Adds the workers that ended on their own to the violations, and starts others in their place.
    func restartFailed() {
        for worker in workers {
            guard let failure = worker.failure else { continue }
            violations.append("\(worker.process.name) ended: \(failure)")
            startWorker(worker.kind)
        }
        workers.removeAll { $0.failure != nil || $0.process.hasEnded }
    }

    func add(_ violation: String) { violations.append(violation) }
}
