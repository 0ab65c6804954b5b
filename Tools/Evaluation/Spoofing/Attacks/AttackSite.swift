import Domain
import Simulation

/// Stretch of a host that an attack replaces.
struct AttackSite {
    var host: AttackHost
    /// Replaced fixes of the host.
    var range: Range<Int>

    /// Minimum honest driving before an attack, in seconds; see also ``AttackHost/leadFixes``.
    static let leadSeconds = 60.0

    /// Draws a stretch that suits `kind`; `nil` after 40 failed attempts.
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
            // Enough honest fixes must follow for detections within ten fixes of the end.
            guard end + 14 <= host.seconds.count, host.stretchStart[end] == stretch else { continue }
            let site = AttackSite(host: host, range: start..<end)
            if site.suits(kind) { return site }
        }
        return nil
    }

    /// Whether the device has the fields or the irregular intervals that the attack needs.
    private static func suits(_ host: AttackHost, _ kind: AttackKind) -> Bool {
        switch kind {
        case .hardCodedSpeed: host.hasSpeed
        // For receivers with whole-second timestamps an exact rhythm is normal.
        case .wrongRhythm: host.intervalSpread >= 0.01
        default: true
        }
    }

    /// Whether the vehicle moves, or stands for a pickup attack.
    private func suits(_ kind: AttackKind) -> Bool {
        let extent = host.extent(range)
        if kind == .pickupOnly { return extent < max(40, 1.0 * span) && host.recentSpeed(range.lowerBound) < 2 }
        return extent > max(200, 3 * span) && host.recentSpeed(range.lowerBound) > 3
    }

    /// Duration in seconds.
    var span: Double { host.seconds[range.upperBound] - host.seconds[range.lowerBound] }

    /// Last true position before the attack.
    var lastHonest: Coordinate { host.coordinate(range.lowerBound - 1) }

    /// Direction of travel before the attack, in degrees.
    var course: Double {
        let earlier = host.index(before: range.lowerBound, by: 8)
        return Geodesy.bearingDegrees(from: host.coordinate(earlier), to: host.coordinate(range.lowerBound))
    }
}
