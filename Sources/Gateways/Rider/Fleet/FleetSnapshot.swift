import NIOCore
import Runtime

/// The fleet's state at one time as WebSocket frames.
struct FleetSnapshot: Sendable {
    /// All drivers, for new subscribers; `nil` if there are none.
    let all: ByteBuffer?
    /// Drivers that changed since the previous snapshot, and the ids of those that are gone.
    let changes: ByteBuffer

    /// `hasAll`: whether to encode ``all``, which is expensive.
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
        message.object("snapshot", body(drivers))
        return WebSocketText.frame(message.buffer)
    }

    /// All drivers, as in the response of `GET /fleet`.
    static func body(_ drivers: [String: FleetDriver]) -> MessageWriter {
        var writer = MessageWriter()
        writer.list("drivers", json: drivers.values.sorted { $0.id < $1.id }.map(\.json))
        return writer
    }
}
