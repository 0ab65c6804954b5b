import Foundation
import Processing

/// What a client was told of a trip, in the order in which it came.
struct ToldTrip {
    /// A line of a client's log, as far as tests look.
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
    struct Place: Hashable {
        var latitude: Double
        var longitude: Double
    }
    /// What was told between two changes of the state.
    struct Processor {
        var state: String
        var places: Set<Place> = []
        /// The status of the pickup's and the dropoff's arrival time.
        var arrivals: [(pickup: String?, dropoff: String?)] = []
        /// Types of the events, in their order.
        var types: [String] = []
    }

    let channel: String
    /// From the state of the first answer on.
    private(set) var stages: [Processor]
    /// Changes whose `previous_state` is not the state before.
    private(set) var breaks: [String] = []

    var states: [String] { stages.map(\.state) }

    /// Whether the trip was followed through pickup and dropoff.
    var isWhole: Bool { states.suffix(4) == ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"] }

    func stage(_ state: String) -> Processor? { stages.first { $0.state == state } }

    /// Reads a client's log, up to a line that is being written.
    static func trips(in log: URL) throws -> [ToldTrip] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var trips: [String: ToldTrip] = [:]
        for line in try Data(contentsOf: log).split(separator: UInt8(ascii: "\n")) {
            guard let message = try? decoder.decode(Message.self, from: line), let channel = message.channel,
                channel.hasPrefix("trip:")
            else { continue }
            if let snapshot = message.snapshot {
                trips[channel] = ToldTrip(channel: channel, snapshot)
            } else if let payload = message.payload {
                trips[channel]?.take(message.type, payload)
            }
        }
        return Array(trips.values)
    }

    private init(channel: String, _ snapshot: Snapshot) {
        self.channel = channel
        stages = [Processor(state: snapshot.state ?? "")]
        if let eta = snapshot.eta { takeArrivals(eta) }
    }

    private mutating func take(_ type: String, _ payload: Payload) {
        if type == "trip_state_changed", let state = payload.state {
            if payload.previousState != stages[stages.count - 1].state { breaks.append("\(payload)") }
            // Otherwise facts alone have changed, or an arrival was noticed.
            if payload.previousState != state { return stages.append(Processor(state: state)) }
        }
        let last = stages.count - 1
        stages[last].types.append(type)
        if type == "eta_update" { takeArrivals(payload) }
        if type == "driver_location", let latitude = payload.latitude, let longitude = payload.longitude {
            stages[last].places.insert(Place(latitude: latitude, longitude: longitude))
        }
    }

    private mutating func takeArrivals(_ eta: Payload) {
        stages[stages.count - 1].arrivals.append((eta.pickupEta?.status, eta.dropoffEta?.status))
    }
}
