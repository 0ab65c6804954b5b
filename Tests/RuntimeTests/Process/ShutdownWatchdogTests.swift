import Glibc
import Testing

@testable import Runtime

@Suite("Shutdown watchdog", .timeLimit(.minutes(2)))
struct ShutdownWatchdogTests {
    @Test("if the clients of a failed worker do not close, its process exits with the error's code")
    func failure() async {
        await #expect(processExitsWith: .exitCode(16)) {
            ShutdownWatchdog.end(after: .milliseconds(50), code: 16)
            // Like a client library that waits for a response.
            while true { sleep(1) }
        }
    }

    @Test("a process that exits before the deadline keeps its exit code")
    func inTime() async {
        await #expect(processExitsWith: .exitCode(3)) {
            ShutdownWatchdog.end(after: .seconds(600), code: 16)
            exit(3)
        }
    }
}
