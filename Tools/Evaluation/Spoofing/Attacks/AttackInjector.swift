import Domain
import Simulation

/// Makes attacks of each ``AttackKind``.
struct AttackInjector {
    /// Hosts of the same origin, whose tracks can be replayed.
    let hosts: [AttackHost]

    /// Injects an attack into a host; `nil` if the host or the draw is unsuitable.
    func attack(_ kind: AttackKind, on host: AttackHost, random: inout RandomSource) -> InjectedAttack? {
        guard let site = AttackSite.draw(in: host, for: kind, random: &random) else { return nil }
        switch kind {
        case .replayOwnTrack, .replayOtherTrack: return replay(kind, site, random: &random)
        case .noAttack: return InjectedAttack(honestAt: site)
        case .wrongRhythm: return InjectedAttack(kind, at: site, forged: rhythm(site, random: &random))
        default:
            return InjectedAttack(kind, at: site, forged: forged(kind, site, random: &random))
        }
    }

    private func forged(_ kind: AttackKind, _ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        switch kind {
        case .staticPoint: pin(site, meters: 500...5000, random: &random)
        case .frozenInPlace: pin(site, meters: 0...0, random: &random)
        case .teleportAndStay: stay(site, random: &random)
        case .pickupOnly: pickup(site, random: &random)
        case .routeSimulator: simulatedRoute(site, jitterMeters: 0...0, random: &random)
        case .jitteredRoute: simulatedRoute(site, jitterMeters: 1.5...6, random: &random)
        case .impossibleSpeed: race(site, random: &random)
        case .hardCodedSpeed: hardCodedSpeed(site, random: &random)
        case .mockFlag: mocked(site, random: &random)
        case .parallelOffset: offset(site, random: &random)
        case .slowDrift: drift(site, random: &random)
        case .noiseMatched: noiseMatched(site, random: &random)
        case .replayOwnTrack, .replayOtherTrack, .wrongRhythm, .noAttack:
            preconditionFailure("attack(_:on:random:) makes attacks of this kind.")
        }
    }

    /// Forged values of one fix.
    struct Forgery {
        var coordinate: Coordinate
        var fields: FakeFields
        var isMock = false
    }

    /// Returns a forged fix for each of the site's fixes, at the host's times.
    ///
    /// If the host repeats a position within half a second, the forged position is repeated as well.
    func replacing(
        _ site: AttackSite, random: inout RandomSource,
        _ forge: (_ index: Int, _ seconds: Double, _ random: inout RandomSource) -> Forgery
    ) -> [ForgedFix] {
        let host = site.host
        let start = host.seconds[site.range.lowerBound - 1]
        var last: Forgery?
        return site.range.map { index in
            let isRepeat =
                host.coordinate(index) == host.coordinate(index - 1)
                && host.seconds[index] - host.seconds[index - 1] < 0.5
            let forgery: Forgery
            if isRepeat, let last {
                forgery = last
            } else {
                forgery = forge(index, host.seconds[index] - start, &random)
            }
            last = forgery
            var forged = host.forge(index, at: forgery.coordinate, forgery.fields, random: &random)
            if forgery.isMock { forged.fix.isMock = true }
            return forged
        }
    }
}
