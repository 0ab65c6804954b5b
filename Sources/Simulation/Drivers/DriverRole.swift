/// Role and device of a driver.
struct DriverRole: Sendable {
    /// `nil` for an honest driver.
    var cheat: CheatKind?
    /// The bus line's number in ``SimulationContext/lines``; `nil` for a driver of rides.
    var line: Int?
    var receiver = ReceiverKind.phone
    var variant = DeviceVariant.usual

    /// Assigns roles to random drivers in the configured shares.
    static func assign(configuration: FleetConfiguration, lines: Int, random: inout RandomSource) -> [DriverRole] {
        let cheaters = count(configuration.cheaterShare, of: configuration.drivers)
        let buses = count(configuration.transitShare, of: configuration.drivers)
        var roles = Array(repeating: DriverRole(), count: configuration.drivers)
        let places = shuffled(Array(roles.indices), random: &random)
        for (number, place) in places.prefix(cheaters).enumerated() {
            roles[place].cheat = CheatKind.allCases[number % CheatKind.allCases.count]
        }
        if lines > 0 {
            for (number, place) in places.suffix(min(buses, places.count - cheaters)).enumerated() {
                roles[place].line = number % lines
            }
        }
        assignDevices(&roles, configuration: configuration)
        return roles
    }

    /// Assigns devices to honest drivers.
    private static func assignDevices(_ roles: inout [DriverRole], configuration: FleetConfiguration) {
        // A separate source, so that the devices do not change the streets and drives of a seed.
        var random = RandomSource(seed: configuration.seed, index: 0, purpose: 8)
        let honest = shuffled(roles.indices.filter { roles[$0].cheat == nil }, random: &random)
        let raw = count(configuration.rawReceiverShare, of: honest.count)
        for place in honest.prefix(raw) { roles[place].receiver = .raw }
        let unusual = min(count(configuration.unusualDeviceShare, of: honest.count), honest.count - raw)
        for (number, place) in honest.suffix(unusual).enumerated() {
            roles[place].variant = DeviceVariant.unusual[number % DeviceVariant.unusual.count]
        }
    }

    private static func count(_ share: Double, of drivers: Int) -> Int { Int((Double(drivers) * share).rounded()) }

    private static func shuffled(_ places: [Int], random: inout RandomSource) -> [Int] {
        var places = places
        guard places.count > 1 else { return places }
        for place in stride(from: places.count - 1, to: 0, by: -1) {
            places.swapAt(place, random.index(below: place + 1))
        }
        return places
    }
}
