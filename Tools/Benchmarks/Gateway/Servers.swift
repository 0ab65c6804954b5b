import ChildProcesses
import Foundation
import Recordings

/// A server that pushes updates to clients.
protocol PushServer {
    var name: String { get }
    var target: LoadTarget { get }
    /// Sends updates to the server.
    var feed: any UpdateFeed { get }

    func usage() throws -> ProcessUsage
    /// Kills the server and starts it again on the same port.
    func restart() throws
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

    func usage() throws -> ProcessUsage {
        _ = try process.metrics()
        return try ProcessUsage.of(process.id)
    }

    func restart() throws {
        process.kill()
        process = try testbed.worker(name, environment)
    }

    func stop() { process.stop() }

    private static func sightline(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else {
            throw InputError("The path of this program is unknown.")
        }
        let program = folder.appending(path: "sightline").path
        let output = try BenchTool.run(program, arguments, environment: environment)
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

    func usage() throws -> ProcessUsage { try ProcessUsage.of(process.id) }

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

/// Memory and processor time of a process on Linux.
struct ProcessUsage: Equatable {
    var residentBytes: Double
    /// Processor time of all threads, user and system.
    var cpuSeconds: Double

    /// - Throws: ``InputError`` if the process does not exist.
    static func of(_ process: Int32) throws -> ProcessUsage {
        let texts = ["statm", "stat"].map { try? String(contentsOfFile: "/proc/\(process)/\($0)", encoding: .utf8) }
        guard let statm = texts[0], let stat = texts[1], let usage = ProcessUsage(statm: statm, stat: stat) else {
            throw InputError("Cannot read /proc/\(process): the process has ended, or this system is not Linux.")
        }
        return usage
    }

    /// Parses `/proc/PID/statm` and `/proc/PID/stat`; returns `nil` if a format differs from proc(5).
    init?(
        statm: String, stat: String, pageBytes: Int = sysconf(Int32(_SC_PAGESIZE)),
        ticksPerSecond: Int = sysconf(Int32(_SC_CLK_TCK))
    ) {
        // The second field of stat, the program's name, may contain spaces and brackets.
        guard let bracket = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ")
        let pages = statm.split(separator: " ")
        guard pages.count > 1, fields.count > 12, let resident = Double(pages[1]), let user = Double(fields[11]),
            let system = Double(fields[12])
        else { return nil }
        residentBytes = resident * Double(pageBytes)
        cpuSeconds = (user + system) / Double(ticksPerSecond)
    }
}
