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

    @Test("a higher count starts what is missing, says when it is ready, and leaves what runs alone")
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
        #expect(first.count == 2 && first.first == first.last, "the first process stays: \(output)")
        for words in [
            "location-worker-1 is ready (", "location-worker-2 is ready (", "2 of location-worker run already",
        ] {
            #expect(output.contains(words), "\(output)")
        }
        #expect(output.matches(of: /\nstate location-worker-[12]\t.*\tready/).count == 2, "\(output)")
    }

    @Test(
        "names and counts that do not exist are refused with those that do",
        arguments: ["start rider-worker", "start eta-worker=two", "stop rider-worker"])
    func wrongNames(words: String) throws {
        let words = words.split(separator: " ").map(String.init)
        let result = try run("local/workers", words[0], words[1])
        #expect(result.code == 1)
        #expect(result.output.contains("eta-worker"), "\(result.output)")
    }

    @Test(
        "a worker that was killed is started again while a demo runs, and the demo's audit finds no difference",
        .nightly)
    func killedWorker() async throws {
        let demo = try Program(
            "pipeline", ["--seconds", "30", "--drivers", "5"],
            executable: Checkout.root.appendingPathComponent("deploy/local/pipeline"), environment: environment)
        defer { demo.discard() }
        try await eventually("the demo sends; it said: \(demo.output)") {
            guard demo.isRunning else { throw Program.Failure(description: "it ended: \(demo.output)") }
            return demo.output.contains("Live map: ")
        }
        let line = try #require(
            try run("local/workers", "status").output.split(separator: "\n").first { $0.hasPrefix("eta-worker-1\t") })
        let fields = line.split(separator: "\t")
        let id = try #require(Int32(fields[1]))
        kill(id, SIGKILL)
        try await eventually("the worker is gone") { try !running().contains("eta-worker-1") }
        let again = try Program(
            "workers", ["start", "eta-worker"],
            executable: Checkout.root.appendingPathComponent("deploy/local/workers"), environment: environment)
        defer { again.discard() }
        #expect(try await again.wait() == 0, "\(again.output)")
        #expect(again.output.contains("starting eta-worker-1 again"), "\(again.output)")
        // At its old address, where the demo asks for its metrics.
        #expect(again.output.contains("\(fields[2])"), "\(again.output)")
        // One that has not run here is not added to a demo.
        #expect(try run("local/workers", "start", "location-worker=2").code != 0)
        #expect(try await demo.wait() == 0, "\(demo.output.suffix(2000))")
        #expect(demo.output.contains("No differences."), "\(demo.output.suffix(2000))")
        #expect(try running().isEmpty, "the demo ends the worker that was started again, too")
    }

    @Test("a second demo is refused while the first one runs, and the first one loses nothing", .nightly)
    func secondDemo() async throws {
        let first = try Program(
            "pipeline", ["--seconds", "20", "--drivers", "5"],
            executable: Checkout.root.appendingPathComponent("deploy/local/pipeline"), environment: environment)
        defer { first.discard() }
        try await eventually("the workers of the first demo run; it said: \(first.output)") {
            guard first.isRunning else { throw Program.Failure(description: "it ended: \(first.output)") }
            return try running().count >= 5
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
        // The ride is accepted some seconds after the fleet's beginning.
        #expect(first.output.matches(of: /\nA rider's view: http:.*\/map#trip=tr_/).count == 1, "\(first.output)")
        #expect(first.output.contains("“Your driver is on the way”"), "\(first.output.suffix(2000))")
        #expect(try running().isEmpty, "the demo ends what it started")
    }
}
