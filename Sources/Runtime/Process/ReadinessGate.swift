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

/// Service that starts when its gate opens: a worker joins its group only after its endpoint listens.
///
/// Otherwise a worker whose endpoint's port is in use would take partitions from others for a moment.
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
