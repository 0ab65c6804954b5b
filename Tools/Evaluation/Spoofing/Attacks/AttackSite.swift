import Domain
import Simulation

/// A stretch of a host in which an attack takes place.
struct AttackSite {
    var host: AttackHost
    /// The host's fixes that are replaced.
    var range: Range<Int>

    /// Honest driving before an attack, in seconds; ``AttackHost/leadFixes`` says how many fixes.
    static let leadSeconds = 60.0

    /// Draws a stretch that suits `kind`; `nil` when a few dozen tries find none.
    static func draw(in host: AttackHost, for kind: AttackKind, random: inout RandomSource) -> AttackSite? {
        guard suits(host, kind) else { return nil }
        for _ in 0..<40 {
            let start = random.index(below: host.seconds.count)
            let duration = random.uniform(in: kind.seconds) * host.durationScale
            let stretch = host.stretchStart[start]
            guard start - stretch >= host.leadFixes, host.seconds[start] - host.seconds[stretch] >= leadSeconds else {
                continue
            }
            let end = host.index(atOrAfter: host.seconds[start] + duration, from: start)
            // Some honest fixes follow, so that "within ten fixes of its end" means the same everywhere.
            guard end + 14 <= host.seconds.count, host.stretchStart[end] == stretch else { continue }
            let site = AttackSite(host: host, range: start..<end)
            if site.suits(kind) { return site }
        }
        return nil
    }

    /// What an attack needs of the device: a speed field to be hard-coded, a rhythm to be broken.
    private static func suits(_ host: AttackHost, _ kind: AttackKind) -> Bool {
        switch kind {
        case .hardCodedSpeed: host.hasSpeed
        // Many receivers stamp whole seconds: an exact rhythm is then nothing wrong.
        case .wrongRhythm: host.intervalSpread >= 0.01
        default: true
        }
    }

    /// A pin, an offset or a replay says nothing false of a vehicle that stands; at a pickup it has to.
    private func suits(_ kind: AttackKind) -> Bool {
        let extent = host.extent(range)
        if kind == .pickupOnly { return extent < max(40, 1.0 * span) && host.recentSpeed(range.lowerBound) < 2 }
        return extent > max(200, 3 * span) && host.recentSpeed(range.lowerBound) > 3
    }

    /// How long it lasts, in seconds.
    var span: Double { host.seconds[range.upperBound] - host.seconds[range.lowerBound] }

    /// Where the vehicle truly was last before the attack.
    var lastHonest: Coordinate { host.coordinate(range.lowerBound - 1) }

    /// The direction of travel before the attack, in degrees.
    var course: Double {
        let earlier = host.index(before: range.lowerBound, by: 8)
        return Geodesy.bearingDegrees(from: host.coordinate(earlier), to: host.coordinate(range.lowerBound))
    }
}
