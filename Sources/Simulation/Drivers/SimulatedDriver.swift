import Domain
import Support

/// A driver with its vehicle, phone, trips and optional cheat.
///
/// Advances in steps of ``FleetConfiguration/tripIntervalSeconds``; writes events and ground truth to
/// ``SimulationContext/output``.
struct SimulatedDriver: Sendable {
    /// Activity of a driver.
    enum Phase: Sendable {
        /// Without a trip, parked or cruising.
        case idle(until: Timestamp)
        /// A ride was offered; the driver accepts it at this time.
        case offered(acceptAt: Timestamp)
        /// Driving to the pickup.
        case approaching
        /// Standing at the pickup while the rider gets in.
        case boarding(until: Timestamp)
        /// Driving with the rider, or a bus between stops.
        case carrying
        /// A bus standing at a stop.
        case dwelling(until: Timestamp)
        /// Standing at the dropoff while the rider gets out.
        case alighting(until: Timestamp)
    }

    let id: String
    let index: Int
    /// Index in ``SimulationContext/lines`` of a bus's current or next run; `nil` for a ride driver.
    var line: Int?
    var phase: Phase
    var vehicle: Vehicle
    var trip: AssignedTrip?
    var cheat: Cheat?
    var random: RandomSource
    /// A separate source, so that measurements and sending do not change the drives.
    var deviceRandom: RandomSource
    let style: Vehicle.Style
    let device: DeviceProfile
    let variant: DeviceVariant
    var noise: PositioningNoise
    var networkModel: NetworkModel

    /// Number of trips so far, for their ids.
    var tripCount = 0
    /// Time of the tombstone after a finished trip; `nil` for none.
    var tombstoneAt: Timestamp?
    /// Time at which the ride is to be cancelled; `nil` for none.
    var cancelAt: Timestamp?
    var isCancelledByRider = false
    var rideProfile = RideProfile()
    /// Messages of the current trip from the warm-up.
    var tripLog: [TripMessage] = []
    var occupancyPercent: Int?

    init(index: Int, role: DriverRole, context: SimulationContext, isAt time: Timestamp) {
        let configuration = context.configuration
        let line = role.line
        self.index = index
        self.line = line
        id = "\(configuration.driverPrefix)\(index + 1)"
        random = RandomSource(seed: configuration.seed, index: UInt64(index), purpose: 3)
        deviceRandom = RandomSource(seed: configuration.seed, index: UInt64(index), purpose: 4)
        style = Vehicle.Style(random: &random)
        device = DeviceProfile(
            configuration: configuration, driver: index, isCheater: role.cheat != nil, variant: role.variant,
            random: &deviceRandom)
        noise = PositioningNoise(
            configuration: configuration.noise, receiver: role.receiver, random: &deviceRandom)
        networkModel = NetworkModel(
            configuration: configuration, driver: index, variant: role.variant, random: &deviceRandom)
        variant = role.variant
        if let kind = role.cheat { cheat = Cheat(kind: kind, start: configuration.start, random: &deviceRandom) }
        let home = context.network.destinations[random.index(below: context.network.destinations.count)]
        let path = line.map { context.lines[$0].path } ?? DrivePath(crossings: [home], in: context.network)
        vehicle = Vehicle(path: path, style: style)
        let firstWait = random.uniform(in: 0...(line == nil ? 60 : 400))
        phase = .idle(until: time.advanced(bySeconds: firstWait))
        if line != nil {
            vehicle.goalMeters = 0
            occupancyPercent = 20
        }
    }

    /// Whether the device reports a trip; a ride that is only offered does not count.
    var isOnTrip: Bool {
        guard let trip else { return false }
        return trip.state != .requested
    }

    /// Simulates the step that ends at `time`.
    mutating func step(to time: Timestamp, isSending: Bool, context: inout SimulationContext) {
        let interval = context.configuration.tripIntervalSeconds
        let began = time.advanced(bySeconds: -interval)
        vehicle.drive(seconds: interval, from: began, in: context.network, random: &random)
        if line != nil {
            advanceBus(at: time, context: &context)
        } else {
            advanceRide(at: time, context: &context)
        }
        if let tombstoneAt, tombstoneAt <= time {
            if trip == nil { context.output.post(nil, of: id, at: time) }
            self.tombstoneAt = nil
        }
        if isSending { report(at: time, context: &context) }
    }
}

/// A trip assigned to a simulated driver.
struct AssignedTrip: Sendable {
    /// The last message; each change increments its version.
    var message: TripMessage
    /// Index of the trip's ground truth in ``FleetOutput/trips``.
    let groundTruthIndex: Int
    /// Crossings of pickup and dropoff; unused for a bus.
    let pickup: Int
    let dropoff: Int
    /// Index of a bus's next stop.
    var nextStop = 0

    var state: TripState { message.state }
}
