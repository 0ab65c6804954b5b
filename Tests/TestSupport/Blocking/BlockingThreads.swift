import Foundation

/// Executor for blocking code: starts a new thread whenever no thread is idle.
///
/// Swift's concurrency pool has one thread per core. If as many tests block (wait for a socket, process or broker)
/// as there are cores, no other asynchronous test runs. Idle threads are reused and never ended.
package final class BlockingThreads: TaskExecutor {
    package static let shared = BlockingThreads()

    /// Whether the current test has the trait `.blocking`.
    @TaskLocal package static var areInUse = false

    /// Guards `jobs` and `idleThreads`.
    private let condition = NSCondition()
    private nonisolated(unsafe) var jobs: [UnownedJob] = []
    private nonisolated(unsafe) var idleThreads = 0

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        defer { condition.unlock() }
        jobs.append(job)
        if idleThreads >= jobs.count {
            condition.signal()
        } else {
            Thread.detachNewThread { [self] in runJobs() }
        }
    }

    private func runJobs() {
        while true { nextJob().runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob() -> UnownedJob {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            idleThreads += 1
            condition.wait()
            idleThreads -= 1
        }
        return jobs.removeFirst()
    }
}
