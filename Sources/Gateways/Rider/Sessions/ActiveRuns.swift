import Codec

/// Runs in progress on a route, derived from the updates of the route's channel.
struct ActiveRuns {
    /// The last position of a run.
    struct Position {
        var runID: String
        var vehicleNumber: String
        /// The complete update.
        var message: [UInt8]
        /// The update's payload (JSON).
        var payload: [UInt8]
    }

    /// The last position of each run, oldest first.
    let positions: [Position]

    /// Excludes runs whose vehicles have left the route.
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
