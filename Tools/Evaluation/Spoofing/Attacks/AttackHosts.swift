import Simulation

/// Hosts by the recording that they are from; those that are simulated come last.
struct AttackHosts: Sendable {
    private(set) var origins: [(name: String, hosts: [AttackHost])] = []

    var count: Int { origins.reduce(0) { $0 + $1.hosts.count } }

    mutating func add(_ hosts: [AttackHost], from origin: String) {
        if !hosts.isEmpty { origins.append((origin, hosts)) }
    }

    /// Those that take a fix every `seconds`, or oftener and are thinned.
    func thinned(to seconds: Double) -> AttackHosts {
        var thinned = AttackHosts()
        for (name, hosts) in origins { thinned.add(hosts.compactMap { $0.thinned(to: seconds) }, from: name) }
        return thinned
    }

    /// An attack on one of them; `nil` where none allows it.
    ///
    /// Every other attack goes to a recording, the others to simulated drives, where there are both; recordings have
    /// equal chances, whatever their size, and so have the traces of each.
    func draw(_ kind: AttackKind, number: Int, seed: UInt64) -> InjectedAttack? {
        guard !origins.isEmpty else { return nil }
        var random = RandomSource(seed: seed, index: UInt64(number), purpose: 100 + kind.number)
        let isSimulated = origins.count > 1 && origins[origins.count - 1].name == SimulatedFleet.origin
        let chosen = !isSimulated ? origins : number % 2 == 0 ? Array(origins.dropLast()) : Array(origins.suffix(1))
        for _ in 0..<300 {
            let origin = chosen[random.index(below: chosen.count)].hosts
            let host = origin[random.index(below: origin.count)]
            if let attack = AttackInjector(hosts: origin).attack(kind, on: host, random: &random) { return attack }
        }
        return nil
    }
}
