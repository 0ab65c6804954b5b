import Foundation
import TestSupport

/// Clients of a rider-gateway: Examples/follow.py, or those of streams, with a log of each.
final class FollowingClients {
    private let program: Program
    let logs: [ClientLog]

    /// Starts clients that all follow `channels`.
    ///
    /// `cutEverySeconds`: how long a connection of theirs lasts; until something else ends it where it is `nil`.
    /// `isAcknowledging`: whether they acknowledge events.
    init(
        _ count: Int, of channels: [String], port: Int, token: String, cutEverySeconds: Int? = nil,
        isAcknowledging: Bool = false, folder: URL
    ) throws {
        let log = folder.appendingPathComponent("client.log")
        let files = count == 1 ? [log] : (1...count).map { URL(fileURLWithPath: "\(log.path).\($0)") }
        logs = files.map { ClientLog($0) }
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
        logs = trips.indices.map { ClientLog(URL(fileURLWithPath: "\(log.path).\($0 + 1)")) }
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
    func copies() throws -> [URL] { try logs.map { try $0.copy() } }

    /// How many events each client has received.
    var eventCounts: [Int] { logs.map(\.eventCount) }

    /// How many events of a type each client has received.
    func eventCounts(of type: String) -> [Int] { logs.map { $0.eventCount(of: type) } }

    /// How often each client has connected.
    var connectionCounts: [Int] { logs.map(\.connectionCount) }

    /// How often each log contains a text.
    func counts(_ text: String) -> [Int] { logs.map { $0.count(text) } }

    /// How many clients have received a position.
    var clientsWithPositions: Int { logs.count { $0.eventCount(of: Self.position) > 0 } }

    /// How many clients have received a position in a connection after their first.
    var clientsWithPositionsAgain: Int {
        logs.count { $0.connectionCount > 1 && $0.eventCountInLastConnection(of: Self.position) > 0 }
    }

    private static let position = "driver_location"

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
