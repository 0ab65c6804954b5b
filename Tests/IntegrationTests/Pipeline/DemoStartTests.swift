import Foundation
import TestSupport
import Testing

/// Two starts in one folder of state, as two terminals of one checkout make them.
@Suite(
    "A second start in one checkout", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct DemoStartTests {
    private let stack: PipelineStack
    private let environment: [String: String]

    init() async throws {
        stack = try await PipelineStack()
        environment = ProcessInfo.processInfo.environment.merging(stack.environment) { $1 }.merging([
            "SIGHTLINE_LOCAL_BIN": Program.folder.path, "SIGHTLINE_LOCAL_DIR": stack.logs.path,
        ]) { $1 }
    }

    private func run(_ script: String, _ arguments: String...) throws -> (code: Int32, output: String) {
        try Checkout.run(
            Checkout.root.appendingPathComponent("deploy/\(script)"), arguments, environment: environment)
    }

    /// The names of the workers that run by `workers status`.
    private func running() throws -> [String] {
        try run("local/workers", "status").output.split(separator: "\n")
            .compactMap { $0.split(separator: "\t").first.map(String.init) }
    }

    /// Starts workers, then runs `second` in the same folder, and ends what runs; by one script, because workers that
    /// outlive the script that started them would keep this process waiting for it.
    ///
    /// The last lines say `second` left with which exit code, and which workers ran after it.
    private func start(_ workers: String, then second: String) throws -> String {
        let script = """
            cd "$0"
            deploy/local/workers start \(workers) || echo "first: $?"
            code=0
            \(second) || code=$?
            running=$(deploy/local/workers status | cut -f 1 | paste -sd ' ')
            deploy/local/workers stop
            printf 'second: %s\nrunning: %s\n' "$code" "$running"
            """
        return try Checkout.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["bash", "-c", script, Checkout.root.path], environment: environment
        ).output
    }

    @Test("a demo leaves the workers of an earlier start running, names them, and says what to do")
    func workersAreLeft() throws {
        let output = try start(
            "location-worker eta-worker", then: "deploy/local/pipeline --seconds 1 --drivers 1")
        #expect(output.contains("\nsecond: 2\n"), "\(output)")
        #expect(output.contains("\nrunning: eta-worker-1 location-worker-1\n"), "\(output)")
        for words in ["deploy/local/workers stop", "SIGHTLINE_LOCAL_DIR="] {
            #expect(output.contains(words), "\(output)")
        }
    }

    @Test("a second start of workers starts none of them where one runs already")
    func secondStartOfWorkers() throws {
        let output = try start("eta-worker", then: "deploy/local/workers start location-worker eta-worker")
        #expect(output.contains("\nsecond: 1\n"), "\(output)")
        #expect(output.contains("\nrunning: eta-worker-1\n"), "\(output)")
        for words in ["eta-worker-1 runs already", "deploy/local/workers stop", "SIGHTLINE_LOCAL_DIR="] {
            #expect(output.contains(words), "\(output)")
        }
    }

    @Test("a second demo is refused while the first one runs, and the first one loses nothing")
    func secondDemo() async throws {
        let first = try Program(
            "pipeline", ["--seconds", "20", "--drivers", "5"],
            executable: Checkout.root.appendingPathComponent("deploy/local/pipeline"), environment: environment)
        defer { first.discard() }
        try await eventually("the workers of the first demo run; it said: \(first.output)") {
            guard first.isRunning else { throw Program.Failure(description: "it ended: \(first.output)") }
            return try running().count == 5
        }
        for script in ["local/pipeline", "demo"] {
            let second = try run(script, "--seconds", "1", "--drivers", "1")
            #expect(second.code == 2, "\(second.output)")
            for words in ["runs already", "kill ", "SIGHTLINE_LOCAL_DIR="] {
                #expect(second.output.contains(words), "\(script): \(second.output)")
            }
        }
        let workers = try run("local/workers", "start", "location-worker")
        #expect(workers.code != 0)
        #expect(try await first.wait() == 0, "\(first.output.suffix(2000))")
        #expect(try running().isEmpty, "the demo ends what it started")
    }
}
