/// Encodes a channel's current state for clients: a trip, or the vehicles of a route.
enum ChannelState {
    /// The member `snapshot` of a message.
    static func snapshot(of name: ChannelName, _ channel: StoredChannel) -> MessageWriter {
        switch name.kind {
        case .trip: trip(channel)
        case .route: route(channel)
        }
    }

    /// The fields of a trip, also used by `GET /trips/{id}`.
    static func trip(_ channel: StoredChannel) -> MessageWriter {
        var writer = MessageWriter()
        let fields = channel.fields
        writer.text("state", text(fields["state"]))
        writer.json("updated_at", fields["updated_at"])
        writer.text("event_id", text(fields["event_id"]))
        writer.json("position", fields["position"])
        writer.json("eta", fields["eta"])
        writer.json("change", fields["change"])
        writer.json("route_polyline", fields["route_polyline"])
        writer.json("facts", fields["facts"])
        return writer
    }

    /// The fields of `GET /trips/{id}/etas`.
    static func arrival(_ channel: StoredChannel) -> MessageWriter {
        var writer = MessageWriter()
        writer.text("state", text(channel.fields["state"]))
        writer.text("event_id", text(channel.fields["event_id"]))
        writer.json("eta", channel.fields["eta"])
        return writer
    }

    /// The last position of each vehicle on the route.
    private static func route(_ channel: StoredChannel) -> MessageWriter {
        var newest: [String: [UInt8]] = [:]
        for run in ActiveRuns(channel).positions { newest[run.vehicleNumber] = run.payload }
        var writer = MessageWriter()
        writer.list("vehicles", json: newest.sorted { $0.key < $1.key }.map(\.value))
        return writer
    }

    private static func text(_ bytes: [UInt8]?) -> String? {
        bytes.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }
}
