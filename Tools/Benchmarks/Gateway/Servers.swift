import ChildProcesses
import Foundation
import Recordings
import Runtime

protocol PushServer {
    var name: String { get }
    var target: LoadTarget { get }
    var feed: any UpdateFeed { get }

    /// Returns the id of the server's process.
    /// - Throws: ``InputError`` if the process has ended.
    func processID() throws -> Int32
    /// Kills the server and starts it again on the same port.
    func restart() throws
}

extension PushServer {
    /// Returns the resident memory of the process, and the processor time of all its threads.
    func usage() throws -> (residentBytes: Double, cpuSeconds: Double) {
        let id = try processID()
        let metrics = ProcessMetrics(of: id)
        guard let residentBytes = metrics.residentBytes, let cpuSeconds = metrics.processorSeconds else {
            throw InputError("Cannot read /proc/\(id): the process has ended, or this system is not Linux.")
        }
        return (residentBytes, cpuSeconds)
    }
}

/// rider-gateway as a child process, which reads updates from a topic.
final class GatewayServer: PushServer {
    let name = "rider-gateway"
    let target: LoadTarget
    let feed: any UpdateFeed
    private let testbed: Testbed
    private let environment: [String: String]
    private var process: MeasuredWorker

    /// Starts the gateway with a new token secret.
    init(_ testbed: Testbed, feed: any UpdateFeed) throws {
        self.testbed = testbed
        self.feed = feed
        let port = Int(try FreePort.find())
        let secret = try Self.sightline(["token", "--new-secret"])
        // Overrides the secret of the local stack.
        let keys = [
            "SIGHTLINE_TOKEN_SECRET": secret, "SIGHTLINE_TOKEN_SECRET_FILE": "", "SIGHTLINE_TOKEN_JWKS_FILE": "",
        ]
        environment = [
            "SIGHTLINE_RIDER_PORT": String(port), "KAFKA_FETCH_WAIT_MAX_MS": testbed.fetchWaitMilliseconds,
        ].merging(keys) { $1 }
        let token = try Self.sightline(["token", "--trip", "*", "--expires", "1d"], environment: keys)
        target = LoadTarget(port: port, token: token)
        process = try testbed.worker(name, environment)
    }

    func processID() throws -> Int32 {
        _ = try process.metrics()
        return process.id
    }

    func restart() throws {
        process.kill()
        process = try testbed.worker(name, environment)
    }

    func stop() { process.stop() }

    private static func sightline(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let output = try BenchTool.run(BenchTool.program("sightline"), arguments, environment: environment)
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// A plain WebSocket server in Python, which receives updates over a TCP connection.
///
/// It has no broker, tokens, states or resumption, so it shows the minimum cost of pushes.
final class PlainServer: PushServer {
    private static let program = "Tools/Benchmarks/peers/websockets_peer.py"
    /// Folder in which deploy/local/install puts Python packages.
    private static let libraries = ".local/python"

    let name = "websockets"
    let target: LoadTarget
    private(set) var feed: any UpdateFeed
    private let feedPort: Int
    private let logPath: String
    private var process: ChildProcess

    /// - Throws: ``InputError`` if its program or package is missing.
    init(folder: String) throws {
        guard FileManager.default.fileExists(atPath: Self.program) else {
            throw InputError("\(Self.program) does not exist here. Run: deploy/bench gateway")
        }
        target = LoadTarget(port: Int(try FreePort.find()), token: "")
        feedPort = Int(try FreePort.find())
        logPath = "\(folder)/websockets-\(feedPort).log"
        (process, feed) = try Self.start(target.port, feedPort, logPath)
    }

    func processID() -> Int32 { process.id }

    func restart() throws {
        stop()
        (process, feed) = try Self.start(target.port, feedPort, logPath)
    }

    func stop() {
        feed.close()
        process.end()
    }

    /// Starts the server and connects to it as soon as it listens for updates.
    private static func start(_ port: Int, _ feedPort: Int, _ logPath: String) throws -> (ChildProcess, SocketFeed) {
        let own = ProcessInfo.processInfo.environment
        let paths = [libraries] + [own["PYTHONPATH"] ?? ""].filter { !$0.isEmpty }
        let process = try ChildProcess(
            "python3", [program, String(port), String(feedPort)],
            environment: own.merging(["PYTHONPATH": paths.joined(separator: ":")]) { $1 }, output: .file(logPath))
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            if let feed = try? SocketFeed(port: feedPort) { return (process, feed) }
            if let ending = process.ending {
                let log = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
                throw InputError(
                    "\(program) ended with \(ending): \(log.split(separator: "\n").last ?? "no output"). "
                        + "If websockets is missing: deploy/local/install --for-tests")
            }
            guard ContinuousClock.now < deadline else { throw InputError("\(program) does not listen after 20 s.") }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }
}
