import Synchronization

/// An executor that runs nothing by itself.
///
/// A test has its tasks run as far as they can, and then looks at what they have done. Waiting for a while instead would
/// not tell a task that waits from one that has not begun.
final class QueuedJobs: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs on the caller's thread until none is left, those included that they enqueue.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
