import Model
import Support

/// The life of a ride: requested, accepted, arrived, in progress, completed; or cancelled on the way.
extension SimulatedDriver {
    mutating func advanceRide(at time: Timestamp, world: inout SimulationContext, ledger: inout FleetLedger) {
        if let cancelAt, cancelAt <= time, trip != nil {
            cancelRide(at: time, ledger: &ledger)
            return
        }
        switch phase {
        case .idle(let until):
            if time >= until { requestRide(at: time, world: &world, ledger: &ledger) }
        case .offered(let acceptAt):
            if time >= acceptAt { acceptRide(at: time, world: &world, ledger: &ledger) }
        case .approaching:
            guard vehicle.hasArrived else { return }
            markArrival(stop: 0, at: time, ledger: &ledger)
            change(to: .arrived, by: "DRIVER", at: time, ledger: &ledger)
            phase = .boarding(until: time.advanced(bySeconds: random.uniform(in: manner.boardingSeconds)))
        case .boarding(let until):
            if time >= until { startRide(at: time, world: &world, ledger: &ledger) }
        case .carrying:
            guard vehicle.hasArrived else { return }
            markArrival(stop: 1, at: time, ledger: &ledger)
            phase = .alighting(until: time.advanced(bySeconds: random.uniform(in: 5...15)))
        case .alighting(let until):
            guard time >= until else { return }
            change(to: .completed, by: "DRIVER", at: time, ledger: &ledger)
            endRide(at: time, world: &world)
        case .dwelling:
            preconditionFailure("A driver of a ride dwelt at a stop.")
        }
    }

    /// The crossing the vehicle is at, or will reach next.
    private var nextCrossing: Int { vehicle.nextCrossing }

    private mutating func requestRide(at time: Timestamp, world: inout SimulationContext, ledger: inout FleetLedger) {
        let (pickup, dropoff) = chooseRide(world)
        let tripID = nextTripID(world.configuration)
        tripCount += 1
        let ride = world.path(from: pickup, to: dropoff)
        let message = TripMessage(
            tripID: tripID, driverID: id, riderID: "usr_\(random.index(below: 100_000))", state: .requested,
            triggeredBy: "RIDER", changedAt: time, version: 1,
            stops: [
                TripMessage.Stop(id: "pickup", kind: .pickup, coordinate: world.coordinate(of: pickup)),
                TripMessage.Stop(id: "dropoff", kind: .dropoff, coordinate: world.coordinate(of: dropoff)),
            ],
            route: ride.plannedRoute(in: world.network))
        trip = ServedTrip(message: message, truth: ledger.trips.count, pickup: pickup, dropoff: dropoff)
        ledger.trips.append(
            TripTruth(
                tripID: tripID, driverID: id, kind: .ride,
                stops: [TripTruth.Stop(id: "pickup"), TripTruth.Stop(id: "dropoff")], state: .requested))
        tombstoneAt = nil
        send(message, ledger: &ledger)
        phase = .offered(acceptAt: time.advanced(bySeconds: random.uniform(in: manner.acceptSeconds)))
        cancelAt = nil
        if random.chance(world.configuration.cancelledShare), cheat == nil, manner.mayBeCancelled {
            cancelAt = time.advanced(bySeconds: random.uniform(in: 2...150))
            isCancelledByRider = random.chance(0.7)
        }
    }

    func nextTripID(_ configuration: FleetConfiguration) -> String {
        "tr_\(configuration.runTag)_\(index + 1)_\(tripCount + 1)"
    }

    /// Where the next ride begins and ends.
    private mutating func chooseRide(_ world: SimulationContext) -> (pickup: Int, dropoff: Int) {
        if let places = manner.places { return places }
        if let meters = world.configuration.rideMeters {
            // A town has few places that are so near: more tries.
            func place(near crossing: Int, _ meters: Double) -> Int {
                world.destination(from: crossing, within: 0.8 * meters...1.2 * meters, tries: 2000, random: &random)
            }
            let pickup = place(near: nextCrossing, meters / 2)
            return (pickup, place(near: pickup, meters))
        }
        let pickup = world.destination(from: nextCrossing, within: 400...2200, random: &random)
        // A cheater takes long rides: forging pays on those, and there is time to be caught.
        let distances = cheat == nil ? 1200...5500.0 : 4500...7500.0
        return (pickup, world.destination(from: pickup, within: distances, random: &random))
    }

    private mutating func acceptRide(at time: Timestamp, world: inout SimulationContext, ledger: inout FleetLedger) {
        guard var ride = trip else { preconditionFailure("A ride was accepted that is not offered.") }
        let approach = vehicle.turn(to: ride.pickup, world: &world)
        let onward = world.path(from: ride.pickup, to: ride.dropoff)
        let pickupAt = time.advanced(bySeconds: approach.planSeconds + 20)
        ride.message.stops[0].scheduledAt = pickupAt
        ride.message.stops[1].scheduledAt = pickupAt.advanced(bySeconds: onward.planSeconds + 30)
        if random.chance(world.configuration.approachRouteShare) || manner.alwaysTellsApproach {
            let whole = DrivePath(crossings: approach.crossings + onward.crossings.dropFirst(), in: world.network)
            ride.message.route = whole.plannedRoute(in: world.network)
        }
        trip = ride
        vehicle.follow(approach)
        change(to: .accepted, by: "DRIVER", at: time, ledger: &ledger)
        phase = .approaching
    }

    private mutating func startRide(at time: Timestamp, world: inout SimulationContext, ledger: inout FleetLedger) {
        guard let ride = trip else { preconditionFailure("A ride started that is not accepted.") }
        let path = world.path(from: ride.pickup, to: ride.dropoff)
        vehicle = Vehicle(path: path, style: style)
        trip?.message.route = path.plannedRoute(in: world.network)
        change(to: .inProgress, by: "DRIVER", at: time, ledger: &ledger)
        cancelAt = nil
        phase = .carrying
    }

    private mutating func cancelRide(at time: Timestamp, ledger: inout FleetLedger) {
        change(to: .cancelled, by: isCancelledByRider ? "RIDER" : "DRIVER", at: time, ledger: &ledger)
        vehicle.stopSoon()
        trip = nil
        tripLog = []
        cancelAt = nil
        phase = .idle(until: time.advanced(bySeconds: 5 + random.exponential(mean: 40)))
        if random.chance(0.5) { tombstoneAt = time.advanced(bySeconds: random.uniform(in: 3...15)) }
    }

    private mutating func endRide(at time: Timestamp, world: inout SimulationContext) {
        trip = nil
        tripLog = []
        manner = .usual
        phase = .idle(until: time.advanced(bySeconds: cheat == nil ? 5 + random.exponential(mean: 45) : 3))
        if random.chance(0.5) { tombstoneAt = time.advanced(bySeconds: random.uniform(in: 3...20)) }
        uplink.maybeRestartSession(random: &deviceRandom)
        guard random.chance(0.4) else { return }
        let somewhere = world.destination(from: nextCrossing, within: 300...1500, random: &random)
        vehicle = Vehicle(path: world.path(from: nextCrossing, to: somewhere), style: style)
    }

    /// Takes the trip one state further and tells the trips topic.
    mutating func change(to state: TripState, by actor: String, at time: Timestamp, ledger: inout FleetLedger) {
        guard var ride = trip else { preconditionFailure("A driver without a trip changed it.") }
        ride.message.state = state
        ride.message.version = (ride.message.version ?? 0) + 1
        ride.message.triggeredBy = actor
        ride.message.changedAt = time
        trip = ride
        ledger.trips[ride.truth].state = state
        send(ride.message, ledger: &ledger)
    }

    mutating func send(_ message: TripMessage, ledger: inout FleetLedger) {
        if !ledger.isSending { tripLog.append(message) }
        ledger.post(message, at: message.changedAt ?? Timestamp(milliseconds: 0))
    }

    mutating func markArrival(stop: Int, at time: Timestamp, ledger: inout FleetLedger) {
        guard let trip else { preconditionFailure("A driver without a trip arrived.") }
        ledger.trips[trip.truth].stops[stop].arrivedAt = time
    }
}
