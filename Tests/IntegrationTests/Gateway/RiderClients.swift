import Foundation
import TestSupport

/// Process with clients of rider-gateway by WebSocket (Examples/follow.py) or event stream; each client has a log.
final class RiderClients {
    private let program: Program
    let logs: [ClientLog]

    /// Starts WebSocket clients that subscribe to all `channels`.
    ///
    /// The clients reconnect every `cutEverySeconds` seconds; with `nil`, only after errors. With `isAcknowledging`,
    /// they acknowledge events.
    init(
        _ count: Int, of channels: [String], port: Int, token: String, cutEverySeconds: Int? = nil,
        isAcknowledging: Bool = false, folder: URL
    ) throws {
        let log = folder.appendingPathComponent("client.log")
        let files = count == 1 ? [log] : (1...count).map { URL(fileURLWithPath: "\(log.path).\($0)") }
        logs = files.map { ClientLog($0) }
        program = try Self.start(
            "Examples/follow.py",
            [
                "--url", "ws://127.0.0.1:\(port)/realtime", "--token", token, "--log", log.path,
                "--clients", String(count),
            ] + (cutEverySeconds.map { ["--reconnect-every", String($0)] } ?? [])
                + (isAcknowledging ? ["--acknowledge"] : []) + channels,
            folder)
    }

    /// Starts a client per trip channel that reads the trip's event stream and reconnects every `cutEverySeconds`.
    init(streamsOf trips: [String], port: Int, token: String, cutEverySeconds: Int, folder: URL) throws {
        let log = folder.appendingPathComponent("stream.log")
        logs = trips.indices.map { ClientLog(URL(fileURLWithPath: "\(log.path).\($0 + 1)")) }
        program = try Self.start(
            "Tests/Web/stream_client.py",
            ["127.0.0.1:\(port)", token, log.path, String(cutEverySeconds)]
                + trips.map { String($0.dropFirst("trip:".count)) },
            folder)
    }

    private static func start(_ script: String, _ arguments: [String], _ folder: URL) throws -> Program {
        let file = Checkout.root.appendingPathComponent(script)
        return try Program(
            file.deletingPathExtension().lastPathComponent, [file.path] + arguments,
            executable: try WebScript.pythonWithWebSockets(), environment: WebScript.environment(), logs: folder)
    }

    var isRunning: Bool { program.isRunning }
    var output: String { program.output }

    func end() { program.end() }

    /// Returns copies of the logs, without a line that is still being written.
    func copies() throws -> [URL] { try logs.map { try $0.copy() } }

    /// Number of events that each client has received.
    var eventCounts: [Int] { logs.map(\.eventCount) }

    /// Returns the number of events of a type that each client has received.
    func eventCounts(of type: String) -> [Int] { logs.map { $0.eventCount(of: type) } }

    /// Number of connections of each client.
    var connectionCounts: [Int] { logs.map(\.connectionCount) }

    /// Returns the number of occurrences of a text in each log.
    func counts(_ text: String) -> [Int] { logs.map { $0.count(text) } }

    /// Number of clients that have received a position.
    var clientsWithPositions: Int { logs.count { $0.eventCount(of: Self.position) > 0 } }

    /// Number of clients that have reconnected and received a position over their last connection.
    var clientsWithPositionsAfterReconnect: Int {
        logs.count { $0.connectionCount > 1 && $0.eventCountInLastConnection(of: Self.position) > 0 }
    }

    private static let position = "driver_location"
}
