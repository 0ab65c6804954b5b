import Domain
import Simulation

/// Counts of races, which are honest tracks made faster than any vehicle, and of those marked within three fixes.
package struct RaceTally: Encodable, Sendable {
    private static let allSpeeds = [260.0, 300, 400, 800]
    private static let allIntervals = [1.0, 4, 10, 20, 30]
    private static let fixes = 3
    private static let marks: Reasons = [.impossibleSpeed, .teleportation, .kinematicAnomaly]

    /// Seconds between the fixes.
    package let seconds: Double
    package let kilometersPerHour: Double
    package private(set) var races = 0
    /// Races with a fix or warning that has a reason code for impossible motion.
    package private(set) var marked = 0
    package private(set) var rejected = 0

    /// Measures races at each interval and speed, at `count` places that the seed draws.
    static func measure(
        on hosts: AttackHosts, count: Int, seed: UInt64, _ settings: TrackingSettings, progress: (String) -> Void
    ) -> [RaceTally] {
        allIntervals.flatMap { seconds in
            let hosts = hosts.thinned(to: seconds)
            progress("races, a fix every \(Int(seconds)) s")
            return allSpeeds.map { speed in
                var tally = RaceTally(seconds: seconds, kilometersPerHour: speed)
                for number in 0..<count {
                    var random = RandomSource(seed: seed, index: UInt64(number), purpose: 91)
                    guard let site = Self.site(in: hosts, random: &random) else { continue }
                    tally.add(site, settings, random: &random)
                }
                return tally
            }
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

    private mutating func add(_ site: AttackSite, _ settings: TrackingSettings, random: inout RandomSource) {
        let speed = kilometersPerHour / 3.6
        let bearing = random.uniform(in: 0...360)
        let forged = AttackInjector(hosts: []).replacing(site, random: &random) { index, seconds, random in
            var fields = FakeFields(of: site.host.trace.fixes[index])
            fields.speedMetersPerSecond = speed
            fields.headingDegrees = bearing
            let place = Geodesy.destination(
                from: site.lastHonest, bearingDegrees: bearing, distanceMeters: speed * max(0, seconds))
            return AttackInjector.Forgery(coordinate: place.moved(by: 3, random: &random), fields: fields)
        }
        let race = InjectedAttack(.impossibleSpeed, at: site, forged: forged)
        var run = EvaluatedRun(settings: settings)
        let outcomes = run.evaluate(race.trace)[race.range]
        races += 1
        if outcomes.contains(where: { !$0.reasons.union($0.warned).isDisjoint(with: Self.marks) }) { marked += 1 }
        if outcomes.contains(where: \.isRejectedAsSpoofed) { rejected += 1 }
    }
}
