import Foundation
import TestSupport

/// Clients of a rider-gateway: Examples/follow.py, or those of streams, with a log of each.
final class FollowingClients {
    private let program: Program
    let logs: [URL]

    /// Starts clients that all follow `channels`.
    ///
    /// `cutEverySeconds`: how long a connection of theirs lasts; until something else ends it where it is `nil`.
    /// `isAcknowledging`: whether they acknowledge events.
    init(
        _ count: Int, of channels: [String], port: Int, token: String, cutEverySeconds: Int? = nil,
        isAcknowledging: Bool = false, folder: URL
    ) throws {
        let log = folder.appendingPathComponent("client.log")
        logs = count == 1 ? [log] : (1...count).map { URL(fileURLWithPath: "\(log.path).\($0)") }
        program = try Program(
            "follow",
            [
                Checkout.root.appendingPathComponent("Examples/follow.py").path,
                "--url", "ws://127.0.0.1:\(port)/realtime", "--token", token, "--log", log.path,
                "--clients", String(count),
            ] + (cutEverySeconds.map { ["--reconnect-every", String($0)] } ?? [])
                + (isAcknowledging ? ["--acknowledge"] : []) + channels,
            executable: try Self.python(), environment: Self.environment, logs: folder)
    }

    /// Starts a client for each of `trips` that follows it by a stream of events, and cuts each connection after a time.
    init(streamsOf trips: [String], port: Int, token: String, cutEverySeconds: Int, folder: URL) throws {
        let log = folder.appendingPathComponent("stream.log")
        logs = trips.indices.map { URL(fileURLWithPath: "\(log.path).\($0 + 1)") }
        program = try Program(
            "stream_client",
            [
                Checkout.root.appendingPathComponent("Tests/Web/stream_client.py").path, "127.0.0.1:\(port)", token,
                log.path, String(cutEverySeconds),
            ] + trips.map { String($0.dropFirst("trip:".count)) },
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
    var eventCounts: [Int] { counts(",\"event_id\":\"") }

    /// How many events of a type each client has received.
    func counts(of type: String) -> [Int] { counts("{\"type\":\"\(type)\"") }

    /// How often each client has connected.
    var connectionCounts: [Int] { counts("{\"type\": \"connected\"") }

    /// How often each log contains a text.
    func counts(_ text: String) -> [Int] {
        let pattern = Data(text.utf8)
        return logs.map { log in
            let content = (try? Data(contentsOf: log)) ?? Data()
            var (count, start) = (0, content.startIndex)
            while let found = content.range(of: pattern, in: start..<content.endIndex) {
                count += 1
                start = found.upperBound
            }
            return count
        }
    }

    /// How many clients have received a position.
    var clientsWithPositions: Int {
        logs.count { (try? Data(contentsOf: $0))?.range(of: Self.position) != nil }
    }

    /// How many clients have received a position in a connection after their first.
    var clientsWithPositionsAgain: Int {
        let connected = Data("\n{\"type\": \"connected\"".utf8)
        return logs.count { log in
            guard let text = try? Data(contentsOf: log), let last = text.range(of: connected, options: .backwards)
            else { return false }
            return text.range(of: Self.position, in: last.upperBound..<text.endIndex) != nil
        }
    }

    /// How a line with a position begins.
    private static let position = Data("\n{\"type\":\"driver_location\"".utf8)

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
