@testable import Domain
@testable import Evaluation
@testable import Simulation
@testable import Support

/// Attacks on a few simulated drives.
struct SampleAttacks {
    static let seed: UInt64 = 7

    /// The drives that are suitable for attacks, of ten simulated drives.
    static let hosts: [AttackHost] = {
        var fleet = SimulatedFleet(seed: seed)
        return (0..<10).compactMap { AttackHost(fleet.drive($0)) }
    }()

    static func make(_ kind: AttackKind, count: Int = 12) -> [(attack: InjectedAttack, host: AttackHost)] {
        let injector = AttackInjector(hosts: hosts)
        var attacks: [(InjectedAttack, AttackHost)] = []
        for number in 0..<400 where attacks.count < count {
            var random = RandomSource(seed: seed, index: UInt64(number), purpose: kind.number)
            let host = hosts[random.index(below: hosts.count)]
            if let attack = injector.attack(kind, on: host, random: &random) { attacks.append((attack, host)) }
        }
        return attacks
    }
}

extension InjectedAttack {
    var forged: ArraySlice<Fix> { trace.fixes[range] }
    var lastHonest: Fix { trace.fixes[range.lowerBound - 1] }

    /// Returns the seconds from the last honest fix to fix `index`.
    func seconds(to index: Int) -> Double {
        trace.measuredAt(index).seconds(since: trace.measuredAt(range.lowerBound - 1))
    }
}

extension AttackHost {
    func fix(at time: Timestamp?) -> Fix? { trace.fixes.first { $0.deviceAt == time } }
}
