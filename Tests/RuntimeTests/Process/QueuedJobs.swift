import Synchronization

/// Executor that runs jobs only on request.
///
/// A test runs its tasks until all of them wait, and then checks their effects. A sleep could not distinguish a waiting
/// task from a task that has not started.
final class QueuedJobs: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs all jobs on the caller's thread, including jobs that they enqueue.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
