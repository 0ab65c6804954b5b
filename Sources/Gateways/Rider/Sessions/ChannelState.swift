/// A channel's present state as clients get it: the snapshot of a trip, or the vehicles of a route.
enum ChannelState {
    /// The member `snapshot` of an answer.
    static func snapshot(of name: ChannelName, _ channel: StoredChannel) -> MessageWriter {
        switch name.kind {
        case .trip: trip(channel)
        case .route: route(channel)
        }
    }

    /// The fields that `GET /trips/{id}` has, too.
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

    /// What `GET /trips/{id}/etas` says of the trip.
    static func arrival(_ channel: StoredChannel) -> MessageWriter {
        var writer = MessageWriter()
        writer.text("state", text(channel.fields["state"]))
        writer.text("event_id", text(channel.fields["event_id"]))
        writer.json("eta", channel.fields["eta"])
        return writer
    }

    /// The last position of each vehicle that is under way on the route.
    private static func route(_ channel: StoredChannel) -> MessageWriter {
        var newest: [String: [UInt8]] = [:]
        for run in RouteRuns(channel).positions { newest[run.vehicleNumber] = run.payload }
        var writer = MessageWriter()
        writer.list("vehicles", json: newest.sorted { $0.key < $1.key }.map(\.value))
        return writer
    }

    private static func text(_ bytes: [UInt8]?) -> String? {
        bytes.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }
}
