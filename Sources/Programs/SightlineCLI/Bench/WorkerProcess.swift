import Foundation
import Observability
import Recordings

/// One worker as a process of its own, watched through its endpoint.
final class WorkerProcess {
    /// What a worker's endpoint says at one moment.
    struct Sample {
        var at: ContinuousClock.Instant
        var metrics: MetricsSnapshot
    }

    let name: String
    private let process = Foundation.Process()
    private let endpoint: HTTPEndpoint
    private let logPath: String
    private let stopSignal: StopSignal
    private let clock = ContinuousClock()

    /// Starts the worker that lies beside this program.
    ///
    /// `environment` comes over this program's own; with `core`, the worker has this one processor core.
    /// - Throws: ``InputError`` when it does not start.
    init(
        _ name: String, environment: [String: String], core: Int? = nil, folder: String, stop: StopSignal
    ) throws {
        self.name = name
        stopSignal = stop
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(fileURLWithPath: "/")
        let program = own.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw InputError("\(program.path) is not there. Build it first: deploy/local/build")
        }
        let port = try FreePort.take()
        endpoint = try HTTPEndpoint("http://127.0.0.1:\(port)")
        logPath = "\(folder)/\(name)-\(port).log"
        guard FileManager.default.createFile(atPath: logPath, contents: nil) else {
            throw InputError("\(logPath) cannot be written.")
        }
        if let core {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
            process.arguments = ["--cpu-list", String(core), program.path]
        } else {
            process.executableURL = program
        }
        var merged = ProcessInfo.processInfo.environment
        merged["SIGHTLINE_HTTP_HOST"] = "127.0.0.1"
        merged["SIGHTLINE_HTTP_PORT"] = String(port)
        merged["LOG_FORMAT"] = "json"
        merged.merge(environment) { _, new in new }
        process.environment = merged
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: logPath)
        process.standardError = process.standardOutput
        do { try process.run() } catch { throw InputError("\(name) does not start: \(error.localizedDescription)") }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// What the endpoint says now; `nil` when it does not answer.
    /// - Throws: ``InputError`` with the last line of its log when the worker has ended, and when the benchmark is to.
    func sample() throws -> Sample? {
        try stopSignal.check()
        guard process.isRunning else { throw InputError("\(name) ended: \(lastLogLine)") }
        let at = clock.now
        guard let page = endpoint.get("/metrics") else { return nil }
        return Sample(at: at, metrics: try MetricsSnapshot(parsing: page))
    }

    /// Has the worker sleep until ``resume()``.
    func suspend() { kill(process.processIdentifier, SIGSTOP) }

    func resume() { kill(process.processIdentifier, SIGCONT) }

    /// Ends the worker in order, or after 25 s abruptly.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        let deadline = clock.now + .seconds(25)
        while process.isRunning, clock.now < deadline { Thread.sleep(forTimeInterval: 0.02) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    private var lastLogLine: String {
        let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map(String.init) ?? "nothing in \(logPath)"
    }
}
