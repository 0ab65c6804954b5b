import Foundation
import Testing

@testable import Domain
@testable import Simulation

@Suite("Trips of a simulated fleet")
struct FleetTripTests {
    private static let next: [TripState: Set<TripState>] = [
        .requested: [.accepted, .cancelled], .accepted: [.arrived, .cancelled], .arrived: [.inProgress, .cancelled],
        .inProgress: [.completed, .cancelled], .completed: [], .cancelled: [],
    ]

    private func longRun() -> (fleet: FleetSimulation, events: [SimulatedEvent]) {
        var configuration = Fleet.configuration(drivers: 80)
        configuration.cancelledShare = 0.3
        configuration.warmUpSeconds = 400
        var fleet = FleetSimulation(configuration: configuration)
        let events = Fleet.events(&fleet, seconds: 700)
        return (fleet, events)
    }

    @Test("every trip message is an allowed transition, and versions increase by one")
    func legalSteps() {
        let (_, events) = longRun()
        var states: Set<TripState> = []
        for (trip, messages) in Dictionary(grouping: Fleet.messages(events).compactMap(\.message), by: \.tripID) {
            #expect(
                messages[0].state == .requested && messages[0].version == 1, "\(trip) does not begin with its request")
            for (left, right) in zip(messages, messages.dropFirst()) {
                #expect(Self.next[left.state]?.contains(right.state) == true, "\(trip): \(left.state), \(right.state)")
                #expect(right.version == (left.version ?? 0) + 1)
                #expect(right.driverID == left.driverID && right.stops.map(\.id) == left.stops.map(\.id))
            }
            states.formUnion(messages.map(\.state))
        }
        #expect(states == Set(TripState.allCases))
    }

    @Test("rides have about the requested length", arguments: [250.0, 1000])
    func rideLength(meters: Double) {
        var configuration = Fleet.configuration(drivers: 30)
        configuration.rideMeters = meters
        configuration.transitShare = 0
        let requests = Fleet.messages(Fleet.events(configuration, seconds: 300)).compactMap(\.message)
            .filter { $0.state == .requested }
        #expect(requests.count > 30)
        for message in requests {
            let length = Geodesy.distanceMeters(from: message.stops[0].coordinate, to: message.stops[1].coordinate)
            #expect((0.79 * meters...1.21 * meters).contains(length), "\(message.tripID): \(length)")
        }
    }

    @Test("a driver has one trip at a time, and tombstones are sent only between trips")
    func oneAtATime() {
        let (_, events) = longRun()
        var tombstones = 0
        for (_, records) in Dictionary(grouping: Fleet.messages(events), by: \.key) {
            var open: String?
            for record in records {
                guard let message = record.message else {
                    tombstones += 1
                    #expect(open == nil)
                    continue
                }
                #expect(open == nil || open == message.tripID)
                open = message.state == .completed || message.state == .cancelled ? nil : message.tripID
            }
        }
        #expect(tombstones > 5)
    }

    @Test("a vehicle is within 20 m of a stop at its arrival time")
    func arrivals() throws {
        let (fleet, events) = longRun()
        let messages = Dictionary(grouping: Fleet.messages(events).compactMap(\.message), by: \.tripID)
        let fixes = Dictionary(grouping: Fleet.fixes(events), by: \.driverID)
        var checked = 0
        for trip in fleet.trips {
            for (index, stop) in trip.stops.enumerated() where index > 0 || trip.kind == .ride {
                guard let arrived = stop.arrivedAt, arrived > Fleet.start, let message = messages[trip.tripID]?.last
                else { continue }
                let fix = fixes[trip.driverID]?.first {
                    $0.takenAt >= arrived && $0.takenAt.seconds(since: arrived) < 2
                }
                guard let fix else { continue }
                let stopPoint = message.stops[index].coordinate
                #expect(Geodesy.distanceMeters(from: fix.coordinate, to: stopPoint) < 20, "\(trip.tripID) \(stop.id)")
                checked += 1
            }
            let times = trip.stops.compactMap(\.arrivedAt)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
        #expect(checked > 60)
    }

    @Test("buses have eight to twenty stops, an increasing timetable and a route")
    func buses() throws {
        let (fleet, events) = longRun()
        let runs = Fleet.messages(events).compactMap(\.message).filter { $0.kind == .transit && $0.state == .requested }
        #expect(runs.count >= 8)
        for run in runs {
            #expect((8...20).contains(run.stops.count))
            let times = try run.stops.map { try #require($0.scheduledAt) }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(run.routeID != nil)
        }
        #expect(Set(fleet.trips.filter { $0.kind == .transit }.map(\.driverID)).count == 8)
    }

    @Test("the planned route leads from pickup to dropoff, and its duration is realistic")
    func routes() throws {
        let (fleet, events) = longRun()
        let truths = Dictionary(uniqueKeysWithValues: fleet.trips.map { ($0.tripID, $0) })
        var ratios: [Double] = []
        for message in Fleet.messages(events).compactMap(\.message) where message.state == .completed {
            guard message.kind == .ride, let route = message.route, let truth = truths[message.tripID] else { continue }
            let first = try #require(route.points.first)
            let last = try #require(route.points.last)
            #expect(Geodesy.distanceMeters(from: first, to: message.stops[0].coordinate) < 1)
            #expect(Geodesy.distanceMeters(from: last, to: message.stops[1].coordinate) < 1)
            guard let picked = truth.stops[0].arrivedAt, let dropped = truth.stops[1].arrivedAt,
                let planned = route.durationSeconds
            else { continue }
            ratios.append(dropped.seconds(since: picked) / planned)
        }
        #expect(ratios.count > 20)
        let mean = ratios.reduce(0, +) / Double(ratios.count)
        #expect((0.8...1.6).contains(mean), "trips take \(mean) times the plan")
    }

    @Test("trip messages are JSON with the simulation's values")
    func json() throws {
        let (_, events) = longRun()
        for record in Fleet.messages(events).prefix(300) {
            guard let value = record.value, let message = record.message else { continue }
            let object = try #require(try JSONSerialization.jsonObject(with: Data(value)) as? [String: Any])
            #expect(object["trip_id"] as? String == message.tripID)
            #expect(object["state"] as? String == String(describing: message.state.code))
            #expect((object["stops"] as? [Any])?.count == message.stops.count)
            #expect((object["version"] as? Int).map(Int64.init) == message.version)
            let route = try #require(object["route"] as? [String: Any])
            #expect(route["polyline"] as? String == message.route?.polyline)
        }
    }

    @Test("ending the trips sends a tombstone for every driver with an open trip")
    func ending() {
        var fleet = FleetSimulation(configuration: Fleet.configuration())
        _ = Fleet.events(&fleet, seconds: 30)
        let open = Set(fleet.trips.filter { $0.state != .completed && $0.state != .cancelled }.map(\.driverID))
        var ended: Set<String> = []
        fleet.endTrips(at: Fleet.start.advanced(bySeconds: 30)) { event in
            if case .tripMessage(let record) = event, record.value == nil { ended.insert(record.key) }
        }
        #expect(!open.isEmpty)
        #expect(open.isSubset(of: ended))
    }
}
