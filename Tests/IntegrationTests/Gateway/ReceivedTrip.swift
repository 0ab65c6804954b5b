import Foundation

/// Events of a trip that a client received since its last snapshot, in order.
struct ReceivedTrip {
    /// Members of a client's log line that the tests evaluate.
    private struct Message: Decodable {
        var type: String
        var channel: String?
        var payload: Payload?
        var snapshot: Snapshot?
    }
    struct Arrival: Decodable { var status: String }
    private struct Payload: Decodable {
        var state: String?
        var previousState: String?
        var latitude: Double?
        var longitude: Double?
        var pickupEta: Arrival?
        var dropoffEta: Arrival?
    }
    private struct Snapshot: Decodable {
        var state: String?
        var eta: Payload?
    }
    struct Position: Hashable {
        var latitude: Double
        var longitude: Double
    }
    /// Events between two changes of the state.
    struct Phase {
        var state: String
        var positions: Set<Position> = []
        /// Statuses of the arrival times at pickup and dropoff.
        var arrivals: [(pickup: String?, dropoff: String?)] = []
        /// Types of the events, in order.
        var types: [String] = []
    }

    let channel: String
    /// Phases of the trip; the first phase has the state of the snapshot.
    private(set) var phases: [Phase]
    /// Changes whose `previous_state` differs from the last received state.
    private(set) var inconsistentChanges: [String] = []

    var states: [String] { phases.map(\.state) }

    /// Whether all states from acceptance to completion were received.
    var isComplete: Bool { states.suffix(4) == ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"] }

    func phase(_ state: String) -> Phase? { phases.first { $0.state == state } }

    static func trips(in log: URL) throws -> [ReceivedTrip] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var trips: [String: ReceivedTrip] = [:]
        for line in try Data(contentsOf: log).split(separator: UInt8(ascii: "\n")) {
            guard let message = try? decoder.decode(Message.self, from: line), let channel = message.channel,
                channel.hasPrefix("trip:")
            else { continue }
            if let snapshot = message.snapshot {
                trips[channel] = ReceivedTrip(channel: channel, snapshot)
            } else if let payload = message.payload {
                trips[channel]?.append(message.type, payload)
            }
        }
        return Array(trips.values)
    }

    private init(channel: String, _ snapshot: Snapshot) {
        self.channel = channel
        phases = [Phase(state: snapshot.state ?? "")]
        if let eta = snapshot.eta { appendArrivals(eta) }
    }

    private mutating func append(_ type: String, _ payload: Payload) {
        if type == "trip_state_changed", let state = payload.state {
            if payload.previousState != phases[phases.count - 1].state { inconsistentChanges.append("\(payload)") }
            // An event with an unchanged state reports new facts or a detected arrival.
            if payload.previousState != state { return phases.append(Phase(state: state)) }
        }
        let last = phases.count - 1
        phases[last].types.append(type)
        if type == "eta_update" { appendArrivals(payload) }
        if type == "driver_location", let latitude = payload.latitude, let longitude = payload.longitude {
            phases[last].positions.insert(Position(latitude: latitude, longitude: longitude))
        }
    }

    private mutating func appendArrivals(_ eta: Payload) {
        phases[phases.count - 1].arrivals.append((eta.pickupEta?.status, eta.dropoffEta?.status))
    }
}
