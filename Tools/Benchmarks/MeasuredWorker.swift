import ChildProcesses
import Foundation
import Recordings
import Runtime
import SightlineCLI

/// One worker as a process of its own, watched through its endpoint.
final class MeasuredWorker {
    /// What a worker's endpoint says at one moment.
    struct Sample {
        var at: ContinuousClock.Instant
        var metrics: MetricsSnapshot
    }

    let name: String
    private let process: ChildProcess
    private let endpoint: HTTPEndpoint
    private let logPath: String
    private let stopSignal: StopSignal
    private let clock = ContinuousClock()

    /// Starts the worker that lies beside this program.
    ///
    /// `environment` comes over this program's own; with `core`, the worker has this one processor core.
    /// - Throws: ``InputError`` or `ChildProcessError` when it does not start.
    init(
        _ name: String, environment: [String: String], core: Int? = nil, folder: String, stop: StopSignal
    ) throws {
        self.name = name
        stopSignal = stop
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(fileURLWithPath: "/")
        let program = own.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw InputError("\(program.path) is not there. Build it first: deploy/local/build --all")
        }
        let port = try FreePort.take()
        endpoint = try HTTPEndpoint("http://127.0.0.1:\(port)")
        logPath = "\(folder)/\(name)-\(port).log"
        var merged = ProcessInfo.processInfo.environment
        merged["SIGHTLINE_HTTP_HOST"] = "127.0.0.1"
        merged["SIGHTLINE_HTTP_PORT"] = String(port)
        merged["LOG_FORMAT"] = "json"
        merged.merge(environment) { _, new in new }
        let words = (core.map { ["taskset", "--cpu-list", String($0)] } ?? []) + [program.path]
        process = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: merged, output: .file(logPath))
    }

    /// What the endpoint says now; `nil` when it does not answer.
    /// - Throws: ``InputError`` with the last line of its log when the worker has ended, and when the benchmark is to.
    func sample() throws -> Sample? {
        try stopSignal.check()
        if let ending = process.ending { throw InputError("\(name) ended with \(ending): \(lastLogLine)") }
        let at = clock.now
        guard let page = endpoint.get("/metrics") else { return nil }
        return Sample(at: at, metrics: try MetricsSnapshot(parsing: page))
    }

    /// The process identifier.
    var id: Int32 { process.id }

    /// Ends the worker abruptly.
    func kill() { process.end() }

    /// Has the worker sleep until ``resume()``.
    func suspend() { process.send(SIGSTOP) }

    func resume() { process.send(SIGCONT) }

    /// Ends the worker in order, or after 25 s abruptly.
    func stop() {
        process.send(SIGTERM)
        let deadline = clock.now + .seconds(25)
        while process.isRunning, clock.now < deadline { Thread.sleep(forTimeInterval: 0.02) }
        process.end()
    }

    private var lastLogLine: String {
        let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map(String.init) ?? "nothing in \(logPath)"
    }
}
