import ServiceLifecycle
import Synchronization
import Testing

@testable import Runtime

@Suite("A service that waits for another one")
struct DependentServiceTests {
    private final class CountingService: Service {
        private let runs = Mutex(0)

        var count: Int { runs.withLock { $0 } }

        func run() async throws { runs.withLock { $0 += 1 } }
    }

    @Test("it begins when the signal comes, and not before")
    func begins() async throws {
        let service = CountingService()
        let signal = ReadinessGate()
        let jobs = QueuedJobs()
        let running = Task(executorPreference: jobs) { try await DependentService(after: signal, service).run() }
        jobs.runAll()
        #expect(service.count == 0, "the task has run as far as it can")
        signal.give()
        jobs.runAll()
        try #require(service.count == 1)
        try await running.value
    }

    @Test("it does not begin once it is cancelled")
    func cancelled() async throws {
        let service = CountingService()
        let signal = ReadinessGate()
        let running = Task { try await DependentService(after: signal, service).run() }
        running.cancel()
        try await running.value
        signal.give()
        #expect(service.count == 0)
    }
}
