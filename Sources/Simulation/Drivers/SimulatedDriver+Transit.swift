import Domain
import Support

/// State machine of a bus: waits at a terminal, drives its line, dwells at each stop, and turns around.
extension SimulatedDriver {
    /// Time from a run's announcement to its departure, in seconds.
    private static let announcedSeconds = 20.0

    mutating func advanceBus(at time: Timestamp, context: inout SimulationContext) {
        switch phase {
        case .idle(let until):
            if time >= until { announceRun(at: time, context: &context) }
        case .offered(let acceptAt):
            guard time >= acceptAt else { return }
            change(to: .accepted, by: "SYSTEM", at: time, context: &context)
            change(to: .arrived, by: "SYSTEM", at: time, context: &context)
            phase = .boarding(until: time.advanced(bySeconds: Self.announcedSeconds - 3))
        case .boarding(let until):
            guard time >= until else { return }
            change(to: .inProgress, by: "DRIVER", at: time, context: &context)
            leave(forStop: 1, context: context)
        case .carrying:
            guard vehicle.hasArrived, let stop = trip?.nextStop else { return }
            markArrival(stop: stop, at: time, context: &context)
            let dwell = random.logNormal(median: TransitLine.plannedDwellSeconds - 2, spread: 0.45)
            phase = .dwelling(until: time.advanced(bySeconds: min(90, dwell)))
        case .dwelling(let until):
            guard time >= until, let stop = trip?.nextStop, let line else { return }
            occupancyPercent = max(0, min(100, (occupancyPercent ?? 20) + random.index(below: 41) - 20))
            if stop + 1 < context.lines[line].stops.count {
                leave(forStop: stop + 1, context: context)
            } else {
                change(to: .completed, by: "DRIVER", at: time, context: &context)
                turnAround(at: time, context: context)
            }
        case .approaching, .alighting:
            preconditionFailure("Buses have no pickup or dropoff.")
        }
    }

    private mutating func announceRun(at time: Timestamp, context: inout SimulationContext) {
        guard let line else { preconditionFailure("Only buses have a line.") }
        let route = context.lines[line]
        let departure = time.advanced(bySeconds: Self.announcedSeconds)
        tripCount += 1
        let tripID = "bus_\(context.configuration.runTag)_\(index + 1)_\(tripCount)"
        let message = TripMessage(
            tripID: tripID, driverID: id, kind: .transit, state: .requested, triggeredBy: "SYSTEM", changedAt: time,
            version: 1,
            stops: route.stops.map { stop in
                TripMessage.Stop(
                    id: stop.id, kind: .stop,
                    coordinate: context.network.plane.coordinate(of: route.path.point(at: stop.distanceMeters)),
                    scheduledAt: departure.advanced(bySeconds: stop.plannedSeconds))
            },
            route: route.path.plannedRoute(
                in: context.network, seconds: route.stops[route.stops.count - 1].plannedSeconds),
            routeID: route.routeID)
        trip = AssignedTrip(message: message, groundTruthIndex: context.output.trips.count, pickup: 0, dropoff: 0)
        var stops = route.stops.map { TripGroundTruth.Stop(id: $0.id) }
        stops[0].arrivedAt = time
        context.output.trips.append(
            TripGroundTruth(tripID: tripID, driverID: id, kind: .transit, stops: stops, state: .requested))
        tombstoneAt = nil
        send(message, context: &context)
        phase = .offered(acceptAt: time.advanced(bySeconds: 3))
    }

    private mutating func leave(forStop stop: Int, context: SimulationContext) {
        guard let line else { preconditionFailure("Only buses have a line.") }
        trip?.nextStop = stop
        vehicle.goalMeters = context.lines[line].stops[stop].distanceMeters
        phase = .carrying
    }

    private mutating func turnAround(at time: Timestamp, context: SimulationContext) {
        trip = nil
        tripLog = []
        tombstoneAt = time.advanced(bySeconds: 5)
        let back = (line ?? 0) ^ 1
        line = back
        vehicle = Vehicle(path: context.lines[back].path, style: style)
        vehicle.goalMeters = 0
        phase = .idle(until: time.advanced(bySeconds: random.uniform(in: 40...180)))
        networkModel.maybeRestartSession(random: &deviceRandom)
    }
}
