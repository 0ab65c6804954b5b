import Testing

/// Runs tests on ``BlockingThreads`` instead of Swift's concurrency pool.
package struct BlockingTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestWatchdog.shared.run(test.displayName ?? test.name) {
            try await BlockingThreads.$areInUse.withValue(true) {
                try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
            }
        }
    }
}

extension Trait where Self == BlockingTrait {
    /// Required for tests that block a thread: on sockets, processes, broker or store clients, or
    /// ``eventually(_:within:_:)``.
    ///
    /// Child tasks (`async let`, task groups) run on those threads, too; an unstructured `Task { }` does not.
    package static var blocking: Self { BlockingTrait() }
}
