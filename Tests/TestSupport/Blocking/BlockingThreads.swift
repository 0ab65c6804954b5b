import Foundation

/// An executor for code that blocks: it starts a thread whenever a job finds none idle.
///
/// Swift's concurrency pool has one thread per core. A test that waits for a socket, a process or a broker on one of
/// them keeps every other asynchronous test waiting; with two such tests on two cores all of them stop. Threads are
/// kept for the next job and are never ended: there are as many as jobs once ran at the same time.
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
