import Domain
import Simulation

/// Honest drivers whose track begins to go faster than any vehicle, and how many of them are marked within three fixes.
struct RaceTally: Sendable {
    /// In km/h.
    static let speeds = [260.0, 300, 400, 800]
    /// Between two fixes, in seconds.
    static let intervals = [1.0, 4, 10, 20, 30]
    private static let fixes = 3
    private static let marks: Reasons = [.impossibleSpeed, .teleportation, .kinematicAnomaly]

    private(set) var races = 0
    /// With a fix that is rejected, or has a warning of its speed.
    private(set) var marked = 0
    private(set) var rejected = 0

    /// Races of this speed on `hosts`, one at each of `count` places that `seed` draws.
    init(
        _ hosts: AttackHosts, kilometersPerHour: Double, count: Int, seed: UInt64, _ settings: TrackingSettings
    ) {
        for number in 0..<count {
            var random = RandomSource(seed: seed, index: UInt64(number), purpose: 91)
            guard let site = Self.site(in: hosts, random: &random) else { continue }
            let race = Self.race(site, kilometersPerHour / 3.6, random: &random)
            var run = EvaluatedRun(settings: settings)
            let outcomes = run.judge(race.trace)[race.range]
            races += 1
            if outcomes.contains(where: { !$0.reasons.union($0.warned).isDisjoint(with: Self.marks) }) { marked += 1 }
            if outcomes.contains(where: \.isAccused) { rejected += 1 }
        }
    }

    private static func site(in hosts: AttackHosts, random: inout RandomSource) -> AttackSite? {
        let origins = hosts.origins
        guard !origins.isEmpty else { return nil }
        for _ in 0..<300 {
            let some = origins[random.index(below: origins.count)].hosts
            let host = some[random.index(below: some.count)]
            let start = random.index(below: host.seconds.count)
            let end = start + fixes
            guard start - host.stretchStart[start] >= host.leadFixes, end < host.seconds.count,
                host.stretchStart[end] == host.stretchStart[start]
            else { continue }
            return AttackSite(host: host, range: start..<end)
        }
        return nil
    }

    /// Away from where the vehicle is, with the accuracies of its own fixes.
    private static func race(
        _ site: AttackSite, _ metersPerSecond: Double, random: inout RandomSource
    ) -> InjectedAttack {
        let bearing = random.uniform(in: 0...360)
        let forged = AttackInjector(hosts: []).replacing(site, random: &random) { index, seconds, random in
            var fields = FakeFields(of: site.host.trace.fixes[index])
            fields.speedMetersPerSecond = metersPerSecond
            fields.headingDegrees = bearing
            let place = Geodesy.destination(
                from: site.lastHonest, bearingDegrees: bearing, distanceMeters: metersPerSecond * max(0, seconds))
            return AttackInjector.Forgery(coordinate: place.moved(by: 3, random: &random), fields: fields)
        }
        return InjectedAttack(.impossibleSpeed, at: site, forged: forged)
    }
}
