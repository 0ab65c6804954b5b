import NIOCore
import Runtime

/// All drivers at one moment, and what has changed since the moment before; as messages for clients.
struct FleetSnapshot: Sendable {
    /// All drivers, for clients that begin to watch; `nil` where none did.
    let all: ByteBuffer?
    /// Those that changed, and the ids of those that are gone.
    let changes: ByteBuffer

    /// `hasAll`: whether a client is to get all drivers, whose text takes long to make.
    init(_ drivers: [String: FleetDriver], before: [String: FleetDriver], hasAll: Bool, at milliseconds: Int64) {
        all = hasAll ? Self.all(drivers, at: milliseconds) : nil
        let changed = drivers.values.filter { before[$0.id] != $0 }.sorted { $0.id < $1.id }
        var changes = MessageWriter(type: "fleet_positions")
        changes.text("channel", FleetPublisher.channel)
        changes.text("timestamp", WallClock.text(milliseconds))
        changes.list("drivers", json: changed.map(\.json))
        changes.texts("gone", before.keys.filter { drivers[$0] == nil }.sorted())
        self.changes = WebSocketText.frame(changes.buffer)
    }

    private static func all(_ drivers: [String: FleetDriver], at milliseconds: Int64) -> ByteBuffer {
        var message = MessageWriter(type: "subscribed")
        message.text("channel", FleetPublisher.channel)
        message.text("timestamp", WallClock.text(milliseconds))
        message.object("snapshot", answer(drivers))
        return WebSocketText.frame(message.buffer)
    }

    /// The answer to a request for all drivers at once.
    static func answer(_ drivers: [String: FleetDriver]) -> MessageWriter {
        var writer = MessageWriter()
        writer.list("drivers", json: drivers.values.sorted { $0.id < $1.id }.map(\.json))
        return writer
    }
}
