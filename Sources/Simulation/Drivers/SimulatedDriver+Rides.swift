import Domain
import Support

/// State machine of a ride: requested, accepted, arrived, in progress, completed; or cancelled.
extension SimulatedDriver {
    mutating func advanceRide(at time: Timestamp, context: inout SimulationContext) {
        if let cancelAt, cancelAt <= time, trip != nil {
            cancelRide(at: time, context: &context)
            return
        }
        switch phase {
        case .idle(let until):
            if time >= until { requestRide(at: time, context: &context) }
        case .offered(let acceptAt):
            if time >= acceptAt { acceptRide(at: time, context: &context) }
        case .approaching:
            guard vehicle.hasArrived else { return }
            markArrival(stop: 0, at: time, context: &context)
            change(to: .arrived, by: "DRIVER", at: time, context: &context)
            phase = .boarding(until: time.advanced(bySeconds: random.uniform(in: rideProfile.boardingSeconds)))
        case .boarding(let until):
            if time >= until { startRide(at: time, context: &context) }
        case .carrying:
            guard vehicle.hasArrived else { return }
            markArrival(stop: 1, at: time, context: &context)
            phase = .alighting(until: time.advanced(bySeconds: random.uniform(in: 5...15)))
        case .alighting(let until):
            guard time >= until else { return }
            change(to: .completed, by: "DRIVER", at: time, context: &context)
            endRide(at: time, context: &context)
        case .dwelling:
            preconditionFailure("Only buses dwell at stops.")
        }
    }

    private mutating func requestRide(at time: Timestamp, context: inout SimulationContext) {
        let (pickup, dropoff) = chooseRide(context)
        let tripID = nextTripID(context.configuration)
        tripCount += 1
        let ride = context.path(from: pickup, to: dropoff)
        let message = TripMessage(
            tripID: tripID, driverID: id, riderID: "usr_\(random.index(below: 100_000))", state: .requested,
            triggeredBy: "RIDER", changedAt: time, version: 1,
            stops: [
                TripMessage.Stop(id: "pickup", kind: .pickup, coordinate: context.coordinate(of: pickup)),
                TripMessage.Stop(id: "dropoff", kind: .dropoff, coordinate: context.coordinate(of: dropoff)),
            ],
            route: ride.plannedRoute(in: context.network))
        trip = AssignedTrip(
            message: message, groundTruthIndex: context.output.trips.count, pickup: pickup, dropoff: dropoff)
        context.output.trips.append(
            TripGroundTruth(
                tripID: tripID, driverID: id, kind: .ride,
                stops: [TripGroundTruth.Stop(id: "pickup"), TripGroundTruth.Stop(id: "dropoff")], state: .requested))
        tombstoneAt = nil
        send(message, context: &context)
        phase = .offered(acceptAt: time.advanced(bySeconds: random.uniform(in: rideProfile.acceptSeconds)))
        cancelAt = nil
        if random.chance(context.configuration.cancelledShare), cheat == nil, rideProfile.mayBeCancelled {
            cancelAt = time.advanced(bySeconds: random.uniform(in: 2...150))
            isCancelledByRider = random.chance(0.7)
        }
    }

    func nextTripID(_ configuration: FleetConfiguration) -> String {
        "tr_\(configuration.runTag)_\(index + 1)_\(tripCount + 1)"
    }

    /// Selects pickup and dropoff of the next ride.
    private mutating func chooseRide(_ context: SimulationContext) -> (pickup: Int, dropoff: Int) {
        if let endpoints = rideProfile.endpoints { return endpoints }
        if let meters = context.configuration.rideMeters {
            // Few destinations are at a given short distance, so more draws are needed.
            func destination(near crossing: Int, _ meters: Double) -> Int {
                context.destination(from: crossing, within: 0.8 * meters...1.2 * meters, tries: 2000, random: &random)
            }
            let pickup = destination(near: vehicle.nextCrossing, meters / 2)
            return (pickup, destination(near: pickup, meters))
        }
        let pickup = context.destination(from: vehicle.nextCrossing, within: 400...2200, random: &random)
        // Cheaters get long rides, which leave time to detect them.
        let distances = cheat == nil ? 1200...5500.0 : 4500...7500.0
        return (pickup, context.destination(from: pickup, within: distances, random: &random))
    }

    private mutating func acceptRide(at time: Timestamp, context: inout SimulationContext) {
        guard var ride = trip else { preconditionFailure("A driver accepted a ride that was not offered.") }
        // A vehicle between crossings first drives to the end of its street.
        let approach = context.path(from: vehicle.nextCrossing, to: ride.pickup, after: vehicle.street?.from)
        let onward = context.path(from: ride.pickup, to: ride.dropoff)
        let pickupAt = time.advanced(bySeconds: approach.planSeconds + 20)
        ride.message.stops[0].scheduledAt = pickupAt
        ride.message.stops[1].scheduledAt = pickupAt.advanced(bySeconds: onward.planSeconds + 30)
        if random.chance(context.configuration.approachRouteShare) || rideProfile.alwaysIncludesApproach {
            let whole = DrivePath(crossings: approach.crossings + onward.crossings.dropFirst(), in: context.network)
            ride.message.route = whole.plannedRoute(in: context.network)
        }
        trip = ride
        vehicle.follow(approach)
        change(to: .accepted, by: "DRIVER", at: time, context: &context)
        phase = .approaching
    }

    private mutating func startRide(at time: Timestamp, context: inout SimulationContext) {
        guard let ride = trip else { preconditionFailure("A driver started a ride that was not accepted.") }
        let path = context.path(from: ride.pickup, to: ride.dropoff)
        vehicle = Vehicle(path: path, style: style)
        trip?.message.route = path.plannedRoute(in: context.network)
        change(to: .inProgress, by: "DRIVER", at: time, context: &context)
        cancelAt = nil
        phase = .carrying
    }

    private mutating func cancelRide(at time: Timestamp, context: inout SimulationContext) {
        change(to: .cancelled, by: isCancelledByRider ? "RIDER" : "DRIVER", at: time, context: &context)
        vehicle.stopSoon()
        trip = nil
        tripLog = []
        cancelAt = nil
        phase = .idle(until: time.advanced(bySeconds: 5 + random.exponential(mean: 40)))
        if random.chance(0.5) { tombstoneAt = time.advanced(bySeconds: random.uniform(in: 3...15)) }
    }

    private mutating func endRide(at time: Timestamp, context: inout SimulationContext) {
        trip = nil
        tripLog = []
        rideProfile = RideProfile()
        phase = .idle(until: time.advanced(bySeconds: cheat == nil ? 5 + random.exponential(mean: 45) : 3))
        if random.chance(0.5) { tombstoneAt = time.advanced(bySeconds: random.uniform(in: 3...20)) }
        networkModel.maybeRestartSession(random: &deviceRandom)
        guard random.chance(0.4) else { return }
        let somewhere = context.destination(from: vehicle.nextCrossing, within: 300...1500, random: &random)
        vehicle = Vehicle(path: context.path(from: vehicle.nextCrossing, to: somewhere), style: style)
    }

    /// Changes the trip's state and sends the message.
    mutating func change(to state: TripState, by actor: String, at time: Timestamp, context: inout SimulationContext) {
        guard var ride = trip else { preconditionFailure("A driver without a trip changed its state.") }
        ride.message.state = state
        ride.message.version = (ride.message.version ?? 0) + 1
        ride.message.triggeredBy = actor
        ride.message.changedAt = time
        trip = ride
        context.output.trips[ride.groundTruthIndex].state = state
        send(ride.message, context: &context)
    }

    mutating func send(_ message: TripMessage, context: inout SimulationContext) {
        if !context.output.isSending { tripLog.append(message) }
        context.output.post(message, of: id, at: message.changedAt ?? Timestamp(milliseconds: 0))
    }

    mutating func markArrival(stop: Int, at time: Timestamp, context: inout SimulationContext) {
        guard let trip else { preconditionFailure("A driver without a trip arrived at a stop.") }
        context.output.trips[trip.groundTruthIndex].stops[stop].arrivedAt = time
    }
}

/// Parameters of a driver's current or next ride.
struct RideProfile: Sendable {
    /// Crossings of pickup and dropoff; random if `nil`.
    var endpoints: (pickup: Int, dropoff: Int)?
    /// Time from the request to its acceptance.
    var acceptSeconds = 3...9.0
    /// Time from the arrival at the pickup to the start of the ride.
    var boardingSeconds = 8...45.0
    /// Whether ``FleetConfiguration/cancelledShare`` applies.
    var mayBeCancelled = true
    /// Whether the route includes the approach regardless of ``FleetConfiguration/approachRouteShare``.
    var alwaysIncludesApproach = false

    /// Returns the profile of a ride that ends within a minute and passes through all states.
    static func short(pickup: Int, dropoff: Int) -> RideProfile {
        RideProfile(
            endpoints: (pickup, dropoff), acceptSeconds: 2...3, boardingSeconds: 4...5, mayBeCancelled: false,
            alwaysIncludesApproach: true)
    }
}
