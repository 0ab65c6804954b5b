import Dispatch
import Glibc
import Synchronization

/// POSIX threads for blocking work, outside Swift's cooperative pool.
///
/// Foundation's `Thread` would cost every worker tens of megabytes.
package enum WorkerThread {
    /// Runs `body` on a new thread and waits for its end.
    package static func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            start { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Runs `body` on a new thread without waiting.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 4 << 20)
        var thread = pthread_t()
        let retained = Unmanaged.passRetained(Work(body))
        let error = pthread_create(&thread, &attributes, { Work.start($0) }, retained.toOpaque())
        precondition(error == 0, "The system could not create a thread.")
    }

    /// Runs `body` as a task and blocks until it ends; do not call on a thread of the cooperative pool.
    package static func wait<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
        let outcome = Outcome<Value>()
        Task {
            let value = await body()
            outcome.value.withLock { $0 = value }
            outcome.isSet.signal()
        }
        outcome.isSet.wait()
        guard let value = outcome.value.withLock({ $0 }) else {
            preconditionFailure("The semaphore is signalled only after the value is set.")
        }
        return value
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let isSet = DispatchSemaphore(value: 0)
    }

    package static func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    /// Closure that is passed through a pointer.
    private final class Work: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func start(_ retained: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let retained else { return nil }
            Unmanaged<Work>.fromOpaque(retained).takeRetainedValue().body()
            return nil
        }
    }
}
