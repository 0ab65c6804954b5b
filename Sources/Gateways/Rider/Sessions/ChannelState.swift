import Codec

/// Encodes a channel's current state for clients: a trip, or the vehicles of a route.
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

    /// Encodes the last position of each vehicle on a route.
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

/// Runs in progress on a route, derived from the updates of the route's channel.
struct ActiveRuns {
    struct Position {
        var runID: String
        var vehicleNumber: String
        var message: [UInt8]
        /// The update's payload (JSON).
        var payload: [UInt8]
    }

    /// The last position of each run, oldest first.
    let positions: [Position]

    /// Finds the runs, except those that have left the route (`vehicle_left`).
    init(_ route: StoredChannel) {
        let reader = RiderUpdateEnvelopeReader()
        var newest: [String: (order: Int, position: Position)] = [:]
        for (order, entry) in route.entries.enumerated() {
            entry.message.withUnsafeBytes { bytes in
                guard let envelope = reader.read(.init(bytes)), let vehicle = reader.vehicle(of: envelope.payload)
                else { return }
                let runID = vehicle.run.string
                switch envelope.type {
                case .vehiclePosition:
                    let position = Position(
                        runID: runID, vehicleNumber: vehicle.number.string, message: entry.message,
                        payload: Array(envelope.payload.buffer))
                    newest[runID] = (order, position)
                case .vehicleLeft: newest[runID] = nil
                default: return
                }
            }
        }
        positions = newest.values.sorted { $0.order < $1.order }.map(\.position)
    }
}
