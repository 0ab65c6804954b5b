import ServiceLifecycle
import Synchronization
import Testing

@testable import Runtime

@Suite("Dependent service")
struct DependentServiceTests {
    private final class CountingService: Service {
        private let runs = Mutex(0)

        var count: Int { runs.withLock { $0 } }

        func run() async throws { runs.withLock { $0 += 1 } }
    }

    @Test("a dependent service starts when its gate opens")
    func begins() async throws {
        let service = CountingService()
        let gate = ReadinessGate()
        let jobs = QueuedJobs()
        let running = Task(executorPreference: jobs) { try await DependentService(after: gate, service).run() }
        jobs.runAll()
        #expect(service.count == 0, "the gate is still closed")
        gate.open()
        jobs.runAll()
        try #require(service.count == 1)
        try await running.value
    }

    @Test("a dependent service does not start after a cancellation")
    func cancelled() async throws {
        let service = CountingService()
        let gate = ReadinessGate()
        let running = Task { try await DependentService(after: gate, service).run() }
        running.cancel()
        try await running.value
        gate.open()
        #expect(service.count == 0)
    }
}
