import Foundation
import TestSupport
import Testing

/// Starts of demos and workers while a demo or workers run in the same state folder, as from two terminals.
@Suite(
    "Second start in a state folder", .blocking, .serialized,
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

    /// Returns the running workers according to `workers status`.
    private func running() throws -> [String] {
        try run("local/workers", "status").output.split(separator: "\n")
            .compactMap { $0.split(separator: "\t").first.map(String.init) }
    }

    /// Starts workers, runs `second` in the same folder, and stops all workers.
    ///
    /// One script does all steps, because this process would wait for workers that outlive their script. The last
    /// lines of the output are the exit code of `second` and the workers that ran after it.
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

    @Test("a demo fails if workers are running, prints how to stop them, and does not stop them")
    func demoWithRunningWorkers() throws {
        let output = try start(
            "location-worker eta-worker", then: "deploy/local/pipeline --seconds 1 --drivers 1")
        #expect(output.contains("\nsecond: 2\n"), "\(output)")
        #expect(output.contains("\nrunning: eta-worker-1 location-worker-1\n"), "\(output)")
        for words in ["deploy/local/workers stop", "SIGHTLINE_LOCAL_DIR="] {
            #expect(output.contains(words), "\(output)")
        }
    }

    @Test("a second start of workers starts no worker if one of its workers is already running")
    func secondStartOfWorkers() throws {
        let output = try start("eta-worker", then: "deploy/local/workers start location-worker eta-worker")
        #expect(output.contains("\nsecond: 1\n"), "\(output)")
        #expect(output.contains("\nrunning: eta-worker-1\n"), "\(output)")
        for words in ["eta-worker-1 is already running", "deploy/local/workers stop", "SIGHTLINE_LOCAL_DIR="] {
            #expect(output.contains(words), "\(output)")
        }
    }

    @Test("a start with a higher count starts only the missing workers")
    func higherCount() throws {
        let output = try start(
            "location-worker",
            then: """
                eval 'deploy/local/workers status | head -n 1 | cut -f 2
                deploy/local/workers start location-worker=2
                deploy/local/workers status | head -n 1 | cut -f 2
                deploy/local/workers start location-worker=2
                deploy/local/workers status | sed "s/^/state /"
                deploy/local/workers stop location-worker-1'
                """)
        #expect(output.contains("\nsecond: 0\n"), "\(output)")
        #expect(output.contains("\nrunning: location-worker-2\n"), "\(output)")
        let first = output.split(separator: "\n").filter { $0.allSatisfy(\.isNumber) }
        #expect(first.count == 2 && first.first == first.last, "the first process changed: \(output)")
        for words in [
            "location-worker-1 is ready (", "location-worker-2 is ready (",
            "2 location-worker processes are already running",
        ] {
            #expect(output.contains(words), "\(output)")
        }
        #expect(output.matches(of: /\nstate location-worker-[12]\t.*\tready/).count == 2, "\(output)")
    }

    @Test(
        "an unknown worker or invalid count is an error with the valid names",
        arguments: ["start rider-worker", "start eta-worker=two", "stop rider-worker"])
    func wrongNames(words: String) throws {
        let words = words.split(separator: " ").map(String.init)
        let result = try run("local/workers", words[0], words[1])
        #expect(result.code == 1)
        #expect(result.output.contains("eta-worker"), "\(result.output)")
    }

    @Test(
        "a killed worker can be restarted during a demo, and the demo's audit finds no difference",
        .nightly)
    func killedWorker() async throws {
        let demo = try Program(
            "pipeline", ["--seconds", "30", "--drivers", "5"],
            executable: Checkout.root.appendingPathComponent("deploy/local/pipeline"), environment: environment)
        defer { demo.discard() }
        try await eventually("the demo is running; output: \(demo.output)") {
            guard demo.isRunning else { throw Program.Failure(description: "The demo ended: \(demo.output)") }
            return demo.output.contains("Live map: ")
        }
        let line = try #require(
            try run("local/workers", "status").output.split(separator: "\n").first { $0.hasPrefix("eta-worker-1\t") })
        let fields = line.split(separator: "\t")
        let id = try #require(Int32(fields[1]))
        kill(id, SIGKILL)
        try await eventually("the worker has ended") { try !running().contains("eta-worker-1") }
        let restart = try Program(
            "workers", ["start", "eta-worker"],
            executable: Checkout.root.appendingPathComponent("deploy/local/workers"), environment: environment)
        defer { restart.discard() }
        #expect(try await restart.wait() == 0, "\(restart.output)")
        #expect(restart.output.contains("restarting eta-worker-1"), "\(restart.output)")
        // The worker is at its previous address, where the demo reads its metrics.
        #expect(restart.output.contains("\(fields[2])"), "\(restart.output)")
        // Further workers cannot be added to a demo.
        #expect(try run("local/workers", "start", "location-worker=2").code != 0)
        #expect(try await demo.wait() == 0, "\(demo.output.suffix(2000))")
        #expect(demo.output.contains("No differences."), "\(demo.output.suffix(2000))")
        #expect(try running().isEmpty, "the demo did not end the restarted worker")
    }

    @Test("a second demo fails while the first demo runs, and the first demo finishes normally", .nightly)
    func secondDemo() async throws {
        let first = try Program(
            "pipeline", ["--seconds", "20", "--drivers", "5"],
            executable: Checkout.root.appendingPathComponent("deploy/local/pipeline"), environment: environment)
        defer { first.discard() }
        try await eventually("the workers of the first demo run; output: \(first.output)") {
            guard first.isRunning else { throw Program.Failure(description: "The demo ended: \(first.output)") }
            return try running().count >= 5
        }
        for script in ["local/pipeline", "demo"] {
            let second = try run(script, "--seconds", "1", "--drivers", "1")
            #expect(second.code == 2, "\(second.output)")
            for words in ["already running", "kill ", "SIGHTLINE_LOCAL_DIR="] {
                #expect(second.output.contains(words), "\(script): \(second.output)")
            }
        }
        let workers = try run("local/workers", "start", "location-worker")
        #expect(workers.code != 0)
        #expect(try await first.wait() == 0, "\(first.output.suffix(2000))")
        // A ride is accepted some seconds after the start.
        #expect(first.output.matches(of: /\nA rider's view: http:.*\/map#trip=tr_/).count == 1, "\(first.output)")
        #expect(first.output.contains("“Your driver is on the way”"), "\(first.output.suffix(2000))")
        #expect(try running().isEmpty, "the demo did not end its workers")
    }
}
