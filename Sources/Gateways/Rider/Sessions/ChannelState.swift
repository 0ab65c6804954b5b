import Codec

/// Encoding of a channel's current state for clients: a trip, or the vehicles of a route.
enum ChannelState {
    /// Encodes the member `snapshot` of a message.
    static func snapshot(of name: ChannelName, _ channel: StoredChannel) -> MessageWriter {
        switch name.kind {
        case .trip: trip(channel)
        case .route: route(channel)
        }
    }

    /// Encodes a trip, also for `GET /trips/{id}`.
    static func trip(_ channel: StoredChannel) -> MessageWriter {
        var writer = MessageWriter()
        let fields = channel.fields
        writer.text("state", text(fields["state"]))
        writer.json("updated_at", fields["updated_at"])
        writer.text("event_id", text(fields["event_id"]))
        let payloads: [StaticString] = ["position", "eta", "change", "route_polyline", "facts"]
        for name in payloads { writer.json(name, fields["\(name)"]) }
        return writer
    }

    /// Encodes a trip's last ETA for `GET /trips/{id}/etas`.
    static func arrival(_ channel: StoredChannel) -> MessageWriter {
        var writer = MessageWriter()
        writer.text("state", text(channel.fields["state"]))
        writer.text("event_id", text(channel.fields["event_id"]))
        writer.json("eta", channel.fields["eta"])
        return writer
    }

    private static func route(_ channel: StoredChannel) -> MessageWriter {
        var newest: [String: [UInt8]] = [:]
        for run in channel.runs { newest[run.vehicleNumber] = run.payload }
        var writer = MessageWriter()
        writer.list("vehicles", json: newest.sorted { $0.key < $1.key }.map(\.value))
        return writer
    }

    private static func text(_ bytes: [UInt8]?) -> String? {
        bytes.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }
}

extension StoredChannel {
    /// A run's last position: the update and its payload (JSON).
    typealias RunPosition = (vehicleNumber: String, message: [UInt8], payload: [UInt8])

    /// Last positions of the runs in progress on this route, oldest first; runs that have left the route are excluded.
    var runs: [RunPosition] {
        let reader = RiderUpdateEnvelopeReader()
        var newest: [String: (order: Int, position: RunPosition)] = [:]
        for (order, entry) in entries.enumerated() {
            entry.message.withUnsafeBytes { bytes in
                guard let envelope = reader.read(.init(bytes)), let vehicle = reader.vehicle(of: envelope.payload)
                else { return }
                let runID = vehicle.run.string
                switch envelope.type {
                case .vehiclePosition:
                    let payload = Array(envelope.payload.buffer)
                    newest[runID] = (order, (vehicle.number.string, entry.message, payload))
                case .vehicleLeft: newest[runID] = nil
                default: return
                }
            }
        }
        return newest.values.sorted { $0.order < $1.order }.map(\.position)
    }
}
