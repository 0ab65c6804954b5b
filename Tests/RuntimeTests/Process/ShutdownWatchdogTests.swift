import Glibc
import Testing

@testable import Runtime

@Suite("The impatient way out", .timeLimit(.minutes(2)))
struct ShutdownWatchdogTests {
    @Test("a worker that cannot go on and whose clients do not end leaves with the exit code of its error")
    func failure() async {
        await #expect(processExitsWith: .exitCode(16)) {
            ShutdownWatchdog.end(after: .milliseconds(50), code: 16)
            // As a client library does that waits for an answer that never comes.
            while true { sleep(1) }
        }
    }

    @Test("one that ends in time is left alone")
    func inTime() async {
        await #expect(processExitsWith: .exitCode(3)) {
            ShutdownWatchdog.end(after: .seconds(600), code: 16)
            exit(3)
        }
    }
}
