import ServiceLifecycle

/// Gate for one waiting task; opened once, from any thread.
struct ReadinessGate: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    /// Returns when the gate opens, the task is cancelled, or a graceful shutdown begins.
    func wait() async {
        await withGracefulShutdownHandler {
            for await _ in stream {}
        } onGracefulShutdown: {
            continuation.finish()
        }
    }
}

/// Service that starts when its gate opens, so that a worker joins its group after its endpoint listens.
///
/// A worker whose endpoint cannot listen, because the port is in use, thus causes no rebalance.
struct DependentService: Service {
    private let gate: ReadinessGate
    private let base: any Service

    init(after gate: ReadinessGate, _ base: any Service) {
        self.gate = gate
        self.base = base
    }

    func run() async throws {
        await gate.wait()
        guard !Task.isCancelled else { return }
        try await base.run()
    }
}
