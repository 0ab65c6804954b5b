import ChildProcesses
import Foundation
import TestSupport

/// `rider-gateway` as a process: at the same port, however often it is started.
final class RiderGateway {
    /// Where clients connect.
    let port: UInt16
    private let environment: [String: String]
    private let logPath: String
    private let healthPort: UInt16
    private var process: ChildProcess

    /// Starts it; `environment`: with the secret of its tokens.
    init(environment: [String: String], folder: String) throws {
        port = try FreePort.take()
        healthPort = try FreePort.take()
        logPath = "\(folder)/rider-gateway.log"
        self.environment = ChaosPrograms.over(environment).merging([
            "SIGHTLINE_HTTP_HOST": "127.0.0.1", "SIGHTLINE_HTTP_PORT": String(healthPort),
            "SIGHTLINE_RIDER_HOST": "127.0.0.1", "SIGHTLINE_RIDER_PORT": String(port),
        ]) { $1 }
        process = try Self.start(self.environment, logPath)
    }

    deinit { process.end() }

    var isReady: Bool {
        process.isRunning && Loopback.get(port: healthPort, path: "/readyz")?.contains("\"ready\":true") == true
    }

    /// How it ended and what it said last, where it does not run.
    var ending: String? {
        guard let ending = process.ending else { return nil }
        let log = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return "\(ending): \(log.split(separator: "\n").last ?? "")"
    }

    /// Starts it again after its end.
    func start() throws { process = try Self.start(environment, logPath) }

    /// Ends it by SIGKILL.
    func kill() { process.end() }

    private static func start(_ environment: [String: String], _ logPath: String) throws -> ChildProcess {
        try ChildProcess(
            ChaosPrograms.executable("rider-gateway").path, environment: environment, output: .file(logPath))
    }
}
