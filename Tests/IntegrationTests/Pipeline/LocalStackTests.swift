import Foundation
import TestSupport
import Testing

@Suite(
    "The local stack", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct LocalStackTests {
    /// Runs a command inside a stack of its own, which ends with it.
    private func run(
        _ command: String, in folder: URL, _ variables: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
        // Children of this process inherit its threads' blocked signals, and the stack's services would not hear
        // theirs.
        let unblocked =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
        let stack = Checkout.root.appendingPathComponent("deploy/local/stack").path
        return try Checkout.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-c", unblocked, stack, "run", "--fast", "--", "bash", "-c", command],
            environment: ProcessInfo.processInfo.environment
                .merging(variables) { $1 }.merging(["SIGHTLINE_LOCAL_DIR": folder.path]) { $1 })
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

    @Test("with the address of another Kafka cluster the stack starts no broker, and its programs reach that cluster")
    func otherCluster() throws {
        let kafka = try #require(ProcessInfo.processInfo.environment["SIGHTLINE_TEST_KAFKA"])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stack-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let command = #"""
            echo "broker $KAFKA_BOOTSTRAP_SERVERS"
            test ! -e "$SIGHTLINE_LOCAL_DIR/run/kafka.pid" && echo "no broker of its own"
            SIGHTLINE_STACK_KAFKA=127.0.0.1:1 deploy/local/stack run -- true
            """#
        let result = try run(command, in: folder, ["SIGHTLINE_STACK_KAFKA": kafka])
        #expect(result.output.contains("broker \(kafka)\n"), "\(result.output)")
        #expect(result.output.contains("no broker of its own"), "\(result.output)")
        // A stack that runs is not led to another cluster.
        #expect(result.code == 1)
        #expect(result.output.contains("runs with another Kafka cluster than 127.0.0.1:1"), "\(result.output)")
    }
}
