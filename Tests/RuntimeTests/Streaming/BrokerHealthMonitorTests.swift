import Logging
import TestSupport
import Testing

@testable import Kafka
@testable import Runtime

@Suite("Broker health monitor")
struct BrokerHealthMonitorTests {
    private let start = ContinuousClock.now

    private func failure(since: Duration = .zero, lasting: Duration = .zero) -> KafkaAuthenticationFailure {
        let error = KafkaError(.access, "Logging in to the broker failed.", isFatal: true)
        return KafkaAuthenticationFailure(error: error, since: start + since, latest: start + since + lasting)
    }

    @Test(
        "a login that is rejected for a minute fails the worker",
        arguments: [(0, false), (59_999, false), (60_000, true), (60_001, true)])
    func limit(milliseconds: Int, isOver: Bool) {
        var health = BrokerHealthMonitor(logger: Logger(label: "test"))
        let lasting = failure(lasting: .milliseconds(milliseconds))
        guard isOver else {
            #expect(throws: Never.self) { try health.record(lasting) }
            return
        }
        let error = #expect(throws: WorkerError.self) { try health.record(lasting) }
        #expect(error?.code == .access)
        #expect(error?.exitCode == 16)
        #expect(error?.message.contains("restart the worker") == true)
    }

    @Test("the first rejection sets the problem, the next success removes it, and both are logged")
    func changes() throws {
        let log = CapturedLog()
        var health = BrokerHealthMonitor(logger: log.logger)
        #expect(health.problem == nil)
        #expect(try health.record(nil) == false)
        #expect(try health.record(failure()))
        #expect(try health.record(failure(lasting: .seconds(10))) == false)
        #expect(health.problem?.contains("rejects this worker's login") == true)
        #expect(health.problem?.contains("Logging in to the broker failed.") == true)
        #expect(try health.record(nil))
        #expect(health.problem == nil)
        #expect(log.lines.count == 2)
        #expect(log.has("error: Broker rejects the login", "seconds=60"))
    }

    @Test("a new series of rejections starts a new minute")
    func series() throws {
        var health = BrokerHealthMonitor(logger: Logger(label: "test"))
        _ = try health.record(failure(lasting: .seconds(59)))
        #expect(throws: Never.self) { try health.record(failure(since: .seconds(100), lasting: .seconds(59))) }
    }
}
