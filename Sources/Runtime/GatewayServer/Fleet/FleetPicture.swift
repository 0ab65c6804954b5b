import NIOCore
import Observability

/// All drivers at one moment, and what has changed since the moment before; as messages for clients.
struct FleetPicture: Sendable {
    /// All drivers, for clients that begin to watch.
    let all: ByteBuffer
    /// Those that changed, and the ids of those that are gone.
    let changes: ByteBuffer

    init(_ drivers: [String: FleetDriver], before: [String: FleetDriver], at milliseconds: Int64) {
        let sorted = drivers.values.sorted { $0.id < $1.id }
        var snapshot = MessageWriter()
        snapshot.list("drivers", json: sorted.map(\.json))
        var all = MessageWriter(type: "subscribed")
        all.text("channel", FleetFeed.channel)
        all.text("timestamp", WallClock.text(milliseconds))
        all.object("snapshot", snapshot)
        self.all = WebSocketText.frame(all.buffer)
        var changes = MessageWriter(type: "fleet_positions")
        changes.text("channel", FleetFeed.channel)
        changes.text("timestamp", WallClock.text(milliseconds))
        changes.list("drivers", json: sorted.filter { before[$0.id] != $0 }.map(\.json))
        changes.texts("gone", before.keys.filter { drivers[$0] == nil }.sorted())
        self.changes = WebSocketText.frame(changes.buffer)
    }

    /// The answer to a request for all drivers at once.
    static func answer(_ drivers: [String: FleetDriver]) -> MessageWriter {
        var writer = MessageWriter()
        writer.list("drivers", json: drivers.values.sorted { $0.id < $1.id }.map(\.json))
        return writer
    }
}
