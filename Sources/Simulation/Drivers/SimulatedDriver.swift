import Model
import Support

/// One driver: a vehicle, a phone, the trips it serves and, with some, a way of cheating.
///
/// Lives in steps of ``FleetConfiguration/tripIntervalSeconds``. What it sends goes to an ``EventQueue``, what is true to a
/// ``FleetLedger``.
struct SimulatedDriver: Sendable {
    /// What the driver is doing.
    enum Phase: Sendable {
        /// Without a trip, parked or cruising.
        case idle(until: Timestamp)
        /// A ride was offered.
        case offered(acceptAt: Timestamp)
        /// On the way to the pickup.
        case approaching
        /// At the pickup, the rider gets in.
        case boarding(until: Timestamp)
        /// With the rider on board, or a bus between stops.
        case carrying
        /// A bus at a stop on its way.
        case dwelling(until: Timestamp)
        /// At the end, the rider gets out.
        case alighting(until: Timestamp)
    }

    let id: String
    let index: Int
    /// The line's number in ``SimulationContext/lines`` that a bus drives next; `nil` for a ride driver.
    var line: Int?
    var phase: Phase
    var vehicle: Vehicle
    var trip: ServedTrip?
    var cheat: Cheat?
    var random: RandomSource
    /// Kept apart, so that what is measured and sent does not change what is driven.
    var deviceRandom: RandomSource
    let style: Vehicle.Style
    let device: DeviceProfile
    let variant: DeviceVariant
    var noise: PositioningNoise
    var uplink: NetworkModel

    /// Trips served so far, for their ids.
    var tripCount = 0
    /// When a finished trip is forgotten by a tombstone.
    var tombstoneAt: Timestamp?
    /// When a ride that is going to be cancelled is.
    var cancelAt: Timestamp?
    var isCancelledByRider = false
    /// How the ride under way goes, or the next one.
    var manner = DrivingProfile.usual
    /// The messages of the trip under way, to be sent when the fleet begins to.
    var tripLog: [TripMessage] = []
    var occupancyPercent: Int?

    init(index: Int, role: DriverRole, world: SimulationContext, isAt time: Timestamp) {
        let configuration = world.configuration
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
        uplink = NetworkModel(
            configuration: configuration, driver: index, variant: role.variant, random: &deviceRandom)
        variant = role.variant
        if let kind = role.cheat { cheat = Cheat(kind: kind, start: configuration.start, random: &deviceRandom) }
        let home = world.network.destinations[random.index(below: world.network.destinations.count)]
        let path = line.map { world.lines[$0].path } ?? DrivePath(crossings: [home], in: world.network)
        vehicle = Vehicle(path: path, style: style)
        let firstWait = random.uniform(in: 0...(line == nil ? 60 : 400))
        phase = .idle(until: time.advanced(bySeconds: firstWait))
        if line != nil {
            vehicle.goalMeters = 0
            occupancyPercent = 20
        }
    }

    /// Whether the device counts itself as on a trip.
    var isOnTrip: Bool {
        guard let trip else { return false }
        return trip.state != .requested
    }

    /// Lives through the step that ends at `time`.
    mutating func step(to time: Timestamp, isSending: Bool, world: inout SimulationContext, ledger: inout FleetLedger) {
        let interval = world.configuration.tripIntervalSeconds
        let began = time.advanced(bySeconds: -interval)
        vehicle.drive(seconds: interval, from: began, in: world.network, random: &random)
        if line != nil {
            advanceBus(at: time, world: &world, ledger: &ledger)
        } else {
            advanceRide(at: time, world: &world, ledger: &ledger)
        }
        if let tombstoneAt, tombstoneAt <= time {
            if trip == nil { ledger.post(tombstoneOf: id, at: time) }
            self.tombstoneAt = nil
        }
        if isSending { report(at: time, world: world, ledger: &ledger) }
    }
}
