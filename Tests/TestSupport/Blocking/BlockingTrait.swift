import Testing

/// Trait that runs tests on ``BlockingThreads`` instead of Swift's concurrency pool.
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
    /// Trait of tests that block a thread: with sockets, processes, Kafka or store clients, or
    /// ``eventually(_:within:_:)``.
    ///
    /// Child tasks (`async let`, task groups) also run on ``BlockingThreads``; an unstructured `Task { }` does not.
    package static var blocking: Self { BlockingTrait() }
}
