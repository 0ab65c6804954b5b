import Logging
import TestSupport
import Testing

@testable import Kafka
@testable import Runtime

@Suite("Watching the brokers")
struct BrokerHealthMonitorTests {
    private let start = ContinuousClock.now

    private func refusal(since: Duration = .zero, lasting: Duration = .zero) -> KafkaAuthenticationFailure {
        let error = KafkaError(.access, "Logging in to the broker failed.", isFatal: true)
        return KafkaAuthenticationFailure(error: error, since: start + since, latest: start + since + lasting)
    }

    @Test(
        "a login that is refused for a minute ends the worker, and not before",
        arguments: [(0, false), (59_999, false), (60_000, true), (60_001, true)])
    func limit(milliseconds: Int, isOver: Bool) {
        var watch = BrokerHealthMonitor(logger: Logger(label: "test"))
        let lasting = refusal(lasting: .milliseconds(milliseconds))
        guard isOver else {
            #expect(throws: Never.self) { try watch.note(lasting) }
            return
        }
        let error = #expect(throws: WorkerError.self) { try watch.note(lasting) }
        #expect(error?.code == .access)
        #expect(error?.exitCode == 16)
        #expect(error?.message.contains("restart the worker") == true)
    }

    @Test("each change is told once, in the log and as what is wrong")
    func changes() throws {
        let log = CapturedLog()
        var watch = BrokerHealthMonitor(logger: log.logger)
        #expect(watch.trouble == nil)
        #expect(try watch.note(nil) == false)
        #expect(try watch.note(refusal()))
        #expect(try watch.note(refusal(lasting: .seconds(10))) == false)
        #expect(watch.trouble?.contains("refuses the login") == true)
        #expect(watch.trouble?.contains("Logging in to the broker failed.") == true)
        #expect(try watch.note(nil))
        #expect(watch.trouble == nil)
        #expect(log.lines.count == 2)
        #expect(log.has("error: The broker refuses the login", "seconds=60"))
    }

    @Test("a new series of refusals begins anew")
    func series() throws {
        var watch = BrokerHealthMonitor(logger: Logger(label: "test"))
        _ = try watch.note(refusal(lasting: .seconds(59)))
        #expect(throws: Never.self) { try watch.note(refusal(since: .seconds(100), lasting: .seconds(59))) }
    }
}
