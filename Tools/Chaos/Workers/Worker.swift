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

/// A program of the pipeline as a child process, observed through its HTTP endpoint.
class Component {
    let process: ChildProcess
    fileprivate let port: UInt16
    private let logPath: String

    /// Starts a program that appends its output to the file `log` in `folder`.
    init(_ program: String, log: String, environment: [String: String], folder: String) throws {
        port = try FreePort.find()
        logPath = "\(folder)/\(log).log"
        let own = ["SIGHTLINE_HTTP_HOST": "127.0.0.1", "SIGHTLINE_HTTP_PORT": String(port)]
        process = try ChildProcess(
            ChaosPrograms.component(program, in: folder),
            environment: ChaosPrograms.merged(environment.merging(own) { $1 }), output: .file(logPath))
    }

    /// Ending of the program, with its last log line; `nil` while the program runs.
    var failure: String? {
        process.ending.map {
            "\($0): \(ChaosPrograms.logTail(logPath, 20_000).split(separator: "\n").last ?? "")"
        }
    }
}

final class Worker: Component {
    let kind: WorkerKind
    let number: Int
    let startedAt = ContinuousClock.now
    /// Whether SIGSTOP has stopped the worker, which then does not respond.
    private(set) var isFrozen = false
    /// Whether the suite is ending the worker; any other exit is a violation.
    var isExpectedToEnd = false

    init(_ kind: WorkerKind, number: Int, environment: [String: String], folder: String) throws {
        self.kind = kind
        self.number = number
        try super.init(kind.program, log: "\(kind.program)-\(number)", environment: environment, folder: folder)
    }

    var name: String { "\(kind.program) \(number)" }
    var id: Int32 { process.id }
    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) {
        if signal == SIGSTOP { isFrozen = true }
        if signal == SIGCONT { isFrozen = false }
        process.send(signal)
    }

    func metrics() -> MetricsSnapshot? {
        guard isRunning, !isFrozen, let page = Loopback.get(port: port, path: "/metrics") else { return nil }
        return try? MetricsSnapshot(parsing: page)
    }

    var hasPartitions: Bool { (metrics()?.sum("sightline_partitions_assigned") ?? 0) > 0 }

    var isRestoring: Bool {
        isRunning && !isFrozen && Loopback.get(port: port, path: "/readyz")?.contains("restor") == true
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
