/// Describes what a driver of the fleet does and which device it has.
struct DriverRole: Sendable {
    /// `nil` for an honest driver.
    var cheat: CheatKind?
    /// The bus line's number in ``SimulationContext/lines``; `nil` for a driver of rides.
    var line: Int?
    var receiver = ReceiverKind.phone
    var variant = DeviceVariant.usual

    /// Draws the roles of a fleet by lot, in exactly the shares that the configuration asks for.
    static func cast(configuration: FleetConfiguration, lines: Int, random: inout RandomSource) -> [DriverRole] {
        let cheaters = count(configuration.cheaterShare, of: configuration.drivers)
        let buses = count(configuration.transitShare, of: configuration.drivers)
        var cast = Array(repeating: DriverRole(), count: configuration.drivers)
        let places = shuffled(Array(cast.indices), random: &random)
        for (number, place) in places.prefix(cheaters).enumerated() {
            cast[place].cheat = CheatKind.allCases[number % CheatKind.allCases.count]
        }
        if lines > 0 {
            for (number, place) in places.suffix(min(buses, places.count - cheaters)).enumerated() {
                cast[place].line = number % lines
            }
        }
        equip(&cast, configuration: configuration)
        return cast
    }

    /// Gives honest drivers their devices.
    private static func equip(_ cast: inout [DriverRole], configuration: FleetConfiguration) {
        // From a source of its own, so that the streets and drives of a seed stay as they are.
        var random = RandomSource(seed: configuration.seed, index: 0, purpose: 8)
        let honest = shuffled(cast.indices.filter { cast[$0].cheat == nil }, random: &random)
        let raw = count(configuration.rawReceiverShare, of: honest.count)
        for place in honest.prefix(raw) { cast[place].receiver = .raw }
        let peculiar = min(count(configuration.peculiarDeviceShare, of: honest.count), honest.count - raw)
        for (number, place) in honest.suffix(peculiar).enumerated() {
            cast[place].variant = DeviceVariant.peculiar[number % DeviceVariant.peculiar.count]
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
