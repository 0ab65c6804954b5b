import Foundation

/// Runs blocking work on a thread of its own, never on Swift's cooperative pool.
enum WorkerThread {
    ///
    /// `name`: shown by `top -H` and debuggers, cut to 15 characters.
    static func run(name: String, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.name = String(name.prefix(15))
            thread.stackSize = 4 << 20
            thread.start()
        }
    }
}
