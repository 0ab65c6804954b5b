import ServiceLifecycle

/// Tells one waiting task that it may go on; given once, from any thread.
struct ReadinessGate: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func give() { continuation.finish() }

    /// Returns when the signal is given, the task is cancelled, or a graceful shutdown begins.
    func wait() async {
        await withGracefulShutdownHandler {
            for await _ in stream {}
        } onGracefulShutdown: {
            continuation.finish()
        }
    }
}
