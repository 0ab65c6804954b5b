import Foundation

/// All workers of a run: started, counted, and started again when they end by themselves, as Compose would.
///
/// Belongs to one thread, which calls ``tend()`` whenever it waits.
final class Fleet {
    private let environment: [String: String]
    private let folder: String
    private(set) var workers: [Worker] = []
    /// The build of which workers of each kind are started.
    var builds: [WorkerKind: Build]
    /// Workers that ended by themselves, in words.
    private(set) var surprises: [String] = []
    /// Called with all workers whenever they are looked after.
    var onTend: (([Worker]) -> Void)?
    private var lastNumber: [WorkerKind: Int] = [:]

    init(environment: [String: String], folder: String, build: Build = .own) {
        self.environment = environment
        self.folder = folder
        builds = Dictionary(uniqueKeysWithValues: WorkerKind.allCases.map { ($0, build) })
    }

    deinit { endAll() }

    /// The workers of a kind that run and are not frozen.
    func running(_ kind: WorkerKind) -> [Worker] { workers.filter { $0.kind == kind && $0.isRunning && !$0.isFrozen } }

    /// Starts a worker of the kind's build; `extra`: settings of it alone.
    @discardableResult
    func start(_ kind: WorkerKind, extra: [String: String] = [:]) throws -> Worker {
        let number = lastNumber[kind, default: 0] + 1
        lastNumber[kind] = number
        let build = builds[kind] ?? .own
        let settings = environment.merging(build.settings) { $1 }.merging(extra) { $1 }
        let worker = try Worker(
            kind, number: number, environment: settings, folder: folder, programs: build.programs)
        workers.append(worker)
        return worker
    }

    /// Ends a worker at once, and for good.
    func kill(_ worker: Worker) {
        worker.isExpectedToEnd = true
        worker.send(SIGKILL)
        worker.waitUntilExit()
        workers.removeAll { $0 === worker }
    }

    /// Asks a worker to leave.
    /// - Returns: how long that took, in seconds; `nil` when it had to be killed after 25 s.
    func terminate(_ worker: Worker) -> Double? {
        worker.isExpectedToEnd = true
        let began = ContinuousClock.now
        worker.send(SIGTERM)
        while worker.isRunning {
            guard began.seconds < 25 else {
                kill(worker)
                return nil
            }
            Thread.pause(seconds: 0.02)
        }
        workers.removeAll { $0 === worker }
        return began.seconds
    }

    /// Brings the number of workers of a kind to `count`: ends the oldest in order, or starts more.
    func scale(_ kind: WorkerKind, to count: Int) throws {
        while running(kind).count < count { try start(kind) }
        while running(kind).count > count, let oldest = running(kind).first {
            _ = terminate(oldest)
            if running(kind).count > count { _ = try waitForPartitions(kind) }
        }
    }

    /// Waits until every running worker of a kind has partitions.
    ///
    /// Another of them may leave only then: the local broker (Tansu 0.6) remembers the leader of a group that leaves
    /// while the group forms, makes no other member the leader, and gives out no partition any more.
    /// - Returns: whether they have, within 40 s.
    func waitForPartitions(_ kind: WorkerKind) throws -> Bool {
        try wait(upTo: 40) { running(kind).allSatisfy(\.hasPartitions) } != nil
    }

    /// Starts anew what ended by itself.
    /// - Throws: ``ChaosError`` when the suite was asked to end.
    func tend() throws {
        try StopRequest.check()
        onTend?(workers)
        for worker in workers where !worker.isRunning {
            workers.removeAll { $0 === worker }
            guard !worker.isExpectedToEnd else { continue }
            surprises.append("\(worker.name) ended by itself with \(worker.ending): \(worker.logTail(1))")
            try start(worker.kind)
        }
    }

    /// Waits, looking after the workers meanwhile.
    func wait(seconds: Double) throws {
        let began = ContinuousClock.now
        while began.seconds < seconds {
            try tend()
            Thread.pause(seconds: max(0, min(0.1, seconds - began.seconds)))
        }
    }

    /// Waits for a condition; looks at it ten times a second.
    /// - Returns: after how many seconds it held; `nil` when it did not within `seconds`.
    func wait(upTo seconds: Double, until condition: () throws -> Bool) throws -> Double? {
        let began = ContinuousClock.now
        while began.seconds < seconds {
            if try condition() { return began.seconds }
            try wait(seconds: 0.1)
        }
        return nil
    }

    func endAll() {
        for worker in workers {
            worker.isExpectedToEnd = true
            worker.send(SIGKILL)
        }
        for worker in workers { worker.waitUntilExit() }
        workers = []
    }
}

extension ContinuousClock.Instant {
    /// Seconds since then.
    var seconds: Double {
        let duration = duration(to: .now)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
