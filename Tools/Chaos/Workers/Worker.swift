import ChildProcesses
import Foundation
import Runtime
import TestSupport

/// One worker as a process of its own, watched through its endpoint and `/proc`.
final class Worker {
    let kind: WorkerKind
    let number: Int
    let startedAt = ContinuousClock.now
    let logPath: String
    let isOfOlderBuild: Bool
    private let process: ChildProcess
    private let port: UInt16
    /// Stopped by SIGSTOP; it does not answer.
    private(set) var isFrozen = false
    /// The code that ends it says so first; an end without that is a finding.
    var isExpectedToEnd = false

    /// `programs`: the folder of another build's programs; `nil` for those built together with this one.
    init(
        _ kind: WorkerKind, number: Int, environment: [String: String], folder: String, programs: String? = nil
    ) throws {
        self.kind = kind
        self.number = number
        isOfOlderBuild = programs != nil
        port = try FreePort.take()
        logPath = "\(folder)/\(kind.program)-\(number).log"
        var merged = ChaosPrograms.over(environment)
        merged["SIGHTLINE_HTTP_HOST"] = "127.0.0.1"
        merged["SIGHTLINE_HTTP_PORT"] = String(port)
        process = try ChildProcess(
            programs.map { "\($0)/\(kind.program)" } ?? ChaosPrograms.executable(kind.program).path,
            environment: merged, output: .file(logPath))
    }

    var name: String { "\(kind.program) \(number)" }
    var id: Int32 { process.id }
    var isRunning: Bool { process.isRunning }
    /// The exit code, or the signal, once it has ended.
    var ending: String { process.ending.map { "\($0)" } ?? "no end" }
    var exitedCleanly: Bool { process.ending == .exit(0) }

    func send(_ signal: Int32) {
        if signal == SIGSTOP { isFrozen = true }
        if signal == SIGCONT { isFrozen = false }
        process.send(signal)
    }

    func waitUntilExit() { process.wait() }

    /// What the metrics say; `nil` when there is no answer.
    func metrics() -> MetricsSnapshot? {
        guard isRunning, !isFrozen, let page = Loopback.get(port: port, path: "/metrics") else { return nil }
        return try? MetricsSnapshot(parsing: page)
    }

    var hasPartitions: Bool { (metrics()?.sum("sightline_partitions_assigned") ?? 0) > 0 }

    var isReady: Bool { isRunning && !isFrozen && readiness.contains("\"ready\":true") }

    var isRestoring: Bool { isRunning && !isFrozen && readiness.contains("restor") }

    private var readiness: String { Loopback.get(port: port, path: "/readyz") ?? "" }

    /// The newest lines of its log.
    func logTail(_ count: Int) -> String {
        let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(count).joined(separator: "\n")
    }
}
