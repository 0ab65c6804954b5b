import ChildProcesses
import TestSupport
import Testing

@Suite("Free ports", .blocking)
struct FreePortTests {
    @Test("no port is returned twice, even if its first caller has not bound it yet")
    func returnsNoPortTwice() throws {
        // Without this rule, 500 random ports of 12,768 would contain a repeated port, except in one of 20,000 runs.
        let ports = try (0..<500).map { _ in try FreePort.find() }
        #expect(Set(ports).count == ports.count)
    }
}
