/// Role and device of a driver.
struct DriverRole: Sendable {
    /// `nil` for an honest driver.
    var cheat: CheatKind?
    /// Index in ``SimulationContext/lines`` of a bus driver's line; `nil` for a ride driver.
    var line: Int?
    var receiver = ReceiverKind.phone
    var variant = DeviceVariant.usual

    /// Assigns roles to random drivers in the configured shares.
    static func assign(configuration: FleetConfiguration, lines: Int, random: inout RandomSource) -> [DriverRole] {
        let cheaters = count(configuration.cheaterShare, of: configuration.drivers)
        let buses = count(configuration.transitShare, of: configuration.drivers)
        var roles = Array(repeating: DriverRole(), count: configuration.drivers)
        let drivers = shuffled(Array(roles.indices), random: &random)
        for (number, driver) in drivers.prefix(cheaters).enumerated() {
            roles[driver].cheat = CheatKind.allCases[number % CheatKind.allCases.count]
        }
        if lines > 0 {
            for (number, driver) in drivers.suffix(min(buses, drivers.count - cheaters)).enumerated() {
                roles[driver].line = number % lines
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
        for driver in honest.prefix(raw) { roles[driver].receiver = .raw }
        let unusual = min(count(configuration.unusualDeviceShare, of: honest.count), honest.count - raw)
        for (number, driver) in honest.suffix(unusual).enumerated() {
            roles[driver].variant = DeviceVariant.unusual[number % DeviceVariant.unusual.count]
        }
    }

    private static func count(_ share: Double, of drivers: Int) -> Int { Int((Double(drivers) * share).rounded()) }

    private static func shuffled(_ drivers: [Int], random: inout RandomSource) -> [Int] {
        var drivers = drivers
        guard drivers.count > 1 else { return drivers }
        for index in stride(from: drivers.count - 1, to: 0, by: -1) {
            drivers.swapAt(index, random.index(below: index + 1))
        }
        return drivers
    }
}
