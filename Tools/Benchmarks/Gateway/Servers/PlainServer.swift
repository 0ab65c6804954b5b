import ChildProcesses
import Foundation
import Recordings

/// A plain WebSocket server in Python, which gets the updates over a socket: without a broker, tokens, states and
/// resumption, it does the least that pushing takes.
final class PlainServer: PushServer {
    private static let program = "Tools/Benchmarks/peers/websockets_peer.py"
    /// Where deploy/local/install puts the library of the server.
    private static let libraries = ".local/python"

    let name = "websockets"
    let target: LoadTarget
    private(set) var feed: any UpdateFeed
    private let feedPort: Int
    private let logPath: String
    private var process: ChildProcess

    /// Starts the server.
    /// - Throws: ``InputError`` where its program or its library is missing.
    init(folder: String) throws {
        guard FileManager.default.fileExists(atPath: Self.program) else {
            throw InputError("\(Self.program) is not here; start the benchmark in the folder of the sources.")
        }
        let ports = (Int(try FreePort.take()), Int(try FreePort.take()))
        target = LoadTarget(port: ports.0, token: "")
        feedPort = ports.1
        logPath = "\(folder)/websockets-\(feedPort).log"
        process = try Self.start(target.port, feedPort, logPath)
        feed = try Self.connect(process, feedPort, logPath)
    }

    func usage() throws -> ProcessUsage { try ProcessUsage.of(process.id) }

    func restart() throws {
        feed.close()
        process.end()
        process = try Self.start(target.port, feedPort, logPath)
        feed = try Self.connect(process, feedPort, logPath)
    }

    func stop() {
        feed.close()
        process.end()
    }

    private static func start(_ port: Int, _ feedPort: Int, _ logPath: String) throws -> ChildProcess {
        let own = ProcessInfo.processInfo.environment
        let paths = [libraries] + [own["PYTHONPATH"] ?? ""].filter { !$0.isEmpty }
        return try ChildProcess(
            "python3", [program, String(port), String(feedPort)],
            environment: own.merging(["PYTHONPATH": paths.joined(separator: ":")]) { $1 }, output: .file(logPath))
    }

    /// Connects to the socket for updates once the server listens.
    private static func connect(_ process: ChildProcess, _ port: Int, _ logPath: String) throws -> any UpdateFeed {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            if let feed = try? SocketFeed(port: port) { return feed }
            let log = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
            if let ending = process.ending {
                throw InputError(
                    "\(program) ended with \(ending): \(log.split(separator: "\n").last ?? "nothing was printed"). "
                        + "Where websockets is missing: deploy/local/install --for-tests")
            }
            guard ContinuousClock.now < deadline else { throw InputError("\(program) does not listen after 20 s.") }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }
}
