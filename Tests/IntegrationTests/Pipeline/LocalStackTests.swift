import Foundation
import Testing

@Suite(
    "The local stack", .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(3)))
struct LocalStackTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a command inside a stack of its own, which ends with it.
    private func run(_ command: String, in folder: URL) throws -> (code: Int32, output: String) {
        let stack = Process()
        // Children of this process inherit its threads' blocked signals, and the stack's services would not hear theirs.
        let unblocked =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
        stack.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        stack.arguments =
            ["python3", "-c", unblocked, Self.root.appendingPathComponent("deploy/local/stack").path]
            + ["run", "--fast", "--", "bash", "-c", command]
        stack.environment = ProcessInfo.processInfo.environment.merging(["SIGHTLINE_LOCAL_DIR": folder.path]) { $1 }
        let pipe = Pipe()
        stack.standardOutput = pipe
        stack.standardError = pipe
        stack.standardInput = FileHandle.nullDevice
        try stack.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        stack.waitUntilExit()
        return (stack.terminationStatus, output)
    }

    @Test("a second start begins with nothing, so that no lane clock outlives the broker it counts in")
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
