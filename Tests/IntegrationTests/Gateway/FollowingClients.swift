import Foundation
import TestSupport

/// Clients of a rider-gateway: Examples/follow.py, with a log of each.
final class FollowingClients {
    private let program: Program
    let logs: [URL]

    /// Starts clients that all follow `channels`.
    ///
    /// `cutEverySeconds`: how long a connection of theirs lasts.
    init(_ count: Int, of channels: [String], port: Int, token: String, cutEverySeconds: Int, folder: URL) throws {
        let log = folder.appendingPathComponent("client.log")
        logs = count == 1 ? [log] : (1...count).map { URL(fileURLWithPath: "\(log.path).\($0)") }
        program = try Program(
            "follow",
            [
                Checkout.root.appendingPathComponent("Examples/follow.py").path,
                "--url", "ws://127.0.0.1:\(port)/realtime", "--token", token, "--log", log.path,
                "--clients", String(count), "--reconnect-every", String(cutEverySeconds),
            ] + channels,
            executable: try Self.python(), environment: Self.environment, logs: folder)
    }

    var isRunning: Bool { program.isRunning }
    var output: String { program.output }

    func end() { program.end() }

    /// Copies of the logs, without a line that is being written.
    func copies() throws -> [URL] {
        try logs.map { log in
            let copy = log.appendingPathExtension("copy")
            let text = try Data(contentsOf: log)
            let end = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            try text.prefix(end).write(to: copy)
            return copy
        }
    }

    /// How many events each client has received.
    var eventCounts: [Int] {
        logs.map { ((try? String(contentsOf: $0, encoding: .utf8)) ?? "").ranges(of: "\"event_id\":").count }
    }

    private static let environment = ["PYTHONPATH": Checkout.root.appendingPathComponent(".local/python").path]

    /// A Python that has the WebSocket client which deploy/local/install puts into .local/python.
    private static func python() throws -> URL {
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        guard let python = Checkout.tool("python3") else {
            throw Program.Failure(description: "python3 is not installed; apt-get install python3 installs it.")
        }
        guard try Checkout.run(python, ["-c", "import websockets"], environment: all).code == 0 else {
            throw Program.Failure(
                description: "The Python package websockets is missing; deploy/local/install --for-tests installs it.")
        }
        return python
    }
}
