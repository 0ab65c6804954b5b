import ServiceLifecycle

/// A service that begins when something else is done: a worker joins its group once its endpoint listens.
///
/// A worker that joined before, and ended because the port of its endpoint is in use, would take partitions from others
/// for a moment.
struct DependentService: Service {
    private let signal: ReadinessGate
    private let base: any Service

    init(after signal: ReadinessGate, _ base: any Service) {
        self.signal = signal
        self.base = base
    }

    func run() async throws {
        await signal.wait()
        // The other service failed: then this one is not begun.
        guard !Task.isCancelled else { return }
        try await base.run()
    }
}
