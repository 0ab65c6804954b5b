import Foundation
import TestSupport
import Testing

@Suite(
    "The local stack", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct LocalStackTests {
    /// Runs a command inside a stack of its own, which ends with it.
    private func run(_ command: String, in folder: URL) throws -> (code: Int32, output: String) {
        // Children of this process inherit its threads' blocked signals, and the stack's services would not hear
        // theirs.
        let unblocked =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
        let stack = Checkout.root.appendingPathComponent("deploy/local/stack").path
        return try Checkout.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-c", unblocked, stack, "run", "--fast", "--", "bash", "-c", command],
            environment: ProcessInfo.processInfo.environment.merging(["SIGHTLINE_LOCAL_DIR": folder.path]) { $1 })
    }

    @Test("a second start begins with nothing, so that no partition clock outlives the broker it counts in")
    func secondStartIsEmpty() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stack-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try run(#"psql -X -d "$POSTGRES_URL" -c 'CREATE TABLE left_over (n integer)'"#, in: folder)
        #expect(first.code == 0, "\(first.output)")
        let second = try run(#"psql -X -t -d "$POSTGRES_URL" -c "SELECT to_regclass('left_over') IS NULL""#, in: folder)
        #expect(second.code == 0, "\(second.output)")
        #expect(second.output.contains(" t"), "\(second.output)")
    }
}
