import Foundation

/// All workers of a run; restarts workers that exit unexpectedly, as Compose does.
///
/// Used by one thread; all waits supervise the workers.
final class Fleet {
    private let environment: [String: String]
    private let folder: String
    private(set) var workers: [Worker] = []
    private(set) var unexpectedExits: [String] = []
    /// Called with all workers at every supervision.
    var onSupervise: (([Worker]) -> Void)?
    private var lastNumber: [WorkerKind: Int] = [:]

    init(environment: [String: String], folder: String) {
        self.environment = environment
        self.folder = folder
    }

    deinit { endAll() }

    /// Returns the workers of a kind that run and are not frozen by SIGSTOP.
    func running(_ kind: WorkerKind) -> [Worker] { workers.filter { $0.kind == kind && $0.isRunning && !$0.isFrozen } }

    @discardableResult
    func start(_ kind: WorkerKind, extra: [String: String] = [:]) throws -> Worker {
        let number = lastNumber[kind, default: 0] + 1
        lastNumber[kind] = number
        let worker = try Worker(
            kind, number: number, environment: environment.merging(extra) { $1 }, folder: folder)
        workers.append(worker)
        return worker
    }

    /// Kills a worker and does not restart it.
    func kill(_ worker: Worker) {
        worker.isExpectedToEnd = true
        worker.send(SIGKILL)
        worker.process.wait()
        workers.removeAll { $0 === worker }
    }

    /// Sends SIGTERM and waits for the exit.
    /// - Returns: the seconds until the exit; `nil` if the worker had to be killed after 25 s.
    func terminate(_ worker: Worker) -> Double? {
        worker.isExpectedToEnd = true
        let began = ContinuousClock.now
        worker.send(SIGTERM)
        while worker.isRunning {
            guard began.elapsedSeconds < 25 else {
                kill(worker)
                return nil
            }
            Thread.pause(seconds: 0.02)
        }
        workers.removeAll { $0 === worker }
        return began.elapsedSeconds
    }

    /// Changes the number of workers of a kind to `count`: terminates the oldest, or starts more.
    func scale(_ kind: WorkerKind, to count: Int) throws {
        while running(kind).count < count { try start(kind) }
        while running(kind).count > count, let oldest = running(kind).first {
            _ = terminate(oldest)
            if running(kind).count > count { _ = try waitForPartitions(kind) }
        }
    }

    /// Waits up to 40 s until every running worker of a kind has partitions.
    ///
    /// Needed before a worker leaves: if the group leader leaves during a rebalance, the local broker (Tansu 0.6)
    /// selects no other leader and never assigns partitions again.
    /// - Returns: `false` after 40 s.
    func waitForPartitions(_ kind: WorkerKind) throws -> Bool {
        try wait(upTo: 40) { running(kind).allSatisfy(\.hasPartitions) } != nil
    }

    /// Restarts workers that exited unexpectedly.
    /// - Throws: ``ChaosError`` after a stop request.
    private func superviseOnce() throws {
        try StopRequest.check()
        onSupervise?(workers)
        for worker in workers where !worker.isRunning {
            workers.removeAll { $0 === worker }
            guard !worker.isExpectedToEnd else { continue }
            unexpectedExits.append("\(worker.name) exited unexpectedly with \(worker.failure ?? "")")
            try start(worker.kind)
        }
    }

    func wait(seconds: Double) throws {
        let began = ContinuousClock.now
        while began.elapsedSeconds < seconds {
            try superviseOnce()
            Thread.pause(seconds: max(0, min(0.1, seconds - began.elapsedSeconds)))
        }
    }

    /// Waits for a condition, which it evaluates every 0.1 s.
    /// - Returns: the seconds until the condition was true; `nil` if it was not within `seconds`.
    func wait(upTo seconds: Double, until condition: () throws -> Bool) throws -> Double? {
        let began = ContinuousClock.now
        while began.elapsedSeconds < seconds {
            if try condition() { return began.elapsedSeconds }
            try wait(seconds: 0.1)
        }
        return nil
    }

    func endAll() {
        for worker in workers {
            worker.isExpectedToEnd = true
            worker.send(SIGKILL)
        }
        for worker in workers { worker.process.wait() }
        workers = []
    }
}
