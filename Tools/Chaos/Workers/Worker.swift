import ChildProcesses
import Foundation
import Runtime
import TestSupport

enum WorkerKind: String, CaseIterable, Sendable {
    case location, eta, broadcast, position, history

    var program: String { "\(rawValue)-worker" }

    /// The number of input topics whose partitions `sightline_partitions_assigned` counts separately.
    var countedTopics: Int {
        switch self {
        case .location, .eta, .broadcast: 1
        case .position: 2
        case .history: 4
        }
    }
}

/// A worker as a child process, observed through its HTTP endpoint.
final class Worker {
    let kind: WorkerKind
    let number: Int
    let startedAt = ContinuousClock.now
    private let logPath: String
    private let process: ChildProcess
    private let port: UInt16
    /// Stopped by SIGSTOP; a frozen worker does not respond.
    private(set) var isFrozen = false
    /// Set before the suite ends the worker; any other exit is a finding.
    var isExpectedToEnd = false

    init(_ kind: WorkerKind, number: Int, environment: [String: String], folder: String) throws {
        self.kind = kind
        self.number = number
        port = try FreePort.find()
        logPath = "\(folder)/\(kind.program)-\(number).log"
        var merged = ChaosPrograms.merged(environment)
        merged["SIGHTLINE_HTTP_HOST"] = "127.0.0.1"
        merged["SIGHTLINE_HTTP_PORT"] = String(port)
        process = try ChildProcess(
            ChaosPrograms.component(kind.program, in: folder), environment: merged, output: .file(logPath))
    }

    var name: String { "\(kind.program) \(number)" }
    var id: Int32 { process.id }
    var isRunning: Bool { process.isRunning }
    var ending: String { process.ending.map { "\($0)" } ?? "still running" }
    var exitedCleanly: Bool { process.ending == .exit(0) }

    func send(_ signal: Int32) {
        if signal == SIGSTOP { isFrozen = true }
        if signal == SIGCONT { isFrozen = false }
        process.send(signal)
    }

    func waitUntilExit() { process.wait() }

    func metrics() -> MetricsSnapshot? {
        guard isRunning, !isFrozen, let page = Loopback.get(port: port, path: "/metrics") else { return nil }
        return try? MetricsSnapshot(parsing: page)
    }

    var hasPartitions: Bool { (metrics()?.sum("sightline_partitions_assigned") ?? 0) > 0 }

    var isRestoring: Bool {
        isRunning && !isFrozen && Loopback.get(port: port, path: "/readyz")?.contains("restor") == true
    }

    var lastLogLine: Substring {
        let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last ?? ""
    }
}

struct ProcessFigures {
    var residentKibibytes: Int
    var fileDescriptors: Int

    /// Reads `/proc`; returns `nil` if the process does not exist.
    init?(of id: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")
        else { return nil }
        residentKibibytes = kibibytes
        fileDescriptors = descriptors.count
    }
}

/// File that shifts the wall clock of workers started with ``environment``.
final class WallClockFile {
    private let descriptor: Int32
    let environment: [String: String]

    init(path: String) throws {
        let library = try ChaosPrograms.executable("libchaos-clock.so").path
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else { throw ChaosError("Cannot write \(path).") }
        environment = ["LD_PRELOAD": library, "CHAOS_CLOCK_FILE": path]
        set(seconds: 0)
    }

    deinit { close(descriptor) }

    func set(seconds: Int64) {
        withUnsafeBytes(of: seconds) { bytes in _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
    }
}
