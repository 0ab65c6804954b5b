import Simulation

/// Hosts by recording; simulated hosts come last.
struct AttackHosts: Sendable {
    private(set) var origins: [(name: String, hosts: [AttackHost])] = []

    var count: Int { origins.reduce(0) { $0 + $1.hosts.count } }

    mutating func add(_ hosts: [AttackHost], from origin: String) {
        if !hosts.isEmpty { origins.append((origin, hosts)) }
    }

    /// Returns the hosts with a fix every `seconds`; hosts with shorter intervals are thinned.
    func thinned(to seconds: Double) -> AttackHosts {
        var thinned = AttackHosts()
        for (name, hosts) in origins { thinned.add(hosts.compactMap { $0.thinned(to: seconds) }, from: name) }
        return thinned
    }

    /// Draws an attack on one of the hosts; `nil` if 300 draws find no suitable host.
    ///
    /// If there are recordings and simulated drives, they alternate. Recordings have equal chances, and so do the
    /// traces within a recording.
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
