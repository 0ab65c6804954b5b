import Domain
import Simulation

/// Makes attacks of each ``AttackKind``.
struct AttackInjector {
    /// Hosts of the same origin, whose tracks can be replayed.
    let hosts: [AttackHost]

    /// Injects an attack into a host; `nil` if the host or the draw is unsuitable.
    func attack(_ kind: AttackKind, on host: AttackHost, random: inout RandomSource) -> InjectedAttack? {
        guard let site = AttackSite.draw(in: host, for: kind, random: &random) else { return nil }
        let forged: [ForgedFix]
        switch kind {
        case .replayOwnTrack, .replayOtherTrack: return replay(kind, site, random: &random)
        case .noAttack: return InjectedAttack(honestAt: site)
        case .wrongRhythm: forged = rhythm(site, random: &random)
        case .staticPoint: forged = pin(site, meters: 500...5000, random: &random)
        case .frozenInPlace: forged = pin(site, meters: 0...0, random: &random)
        case .teleportAndStay: forged = stay(site, random: &random)
        case .pickupOnly: forged = pickup(site, random: &random)
        case .routeSimulator: forged = simulatedRoute(site, jitterMeters: 0...0, random: &random)
        case .jitteredRoute: forged = simulatedRoute(site, jitterMeters: 1.5...6, random: &random)
        case .impossibleSpeed: forged = race(site, random: &random)
        case .hardCodedSpeed: forged = hardCodedSpeed(site, random: &random)
        case .mockFlag: forged = mocked(site, random: &random)
        case .parallelOffset: forged = offset(site, random: &random)
        case .slowDrift: forged = drift(site, random: &random)
        case .noiseMatched: forged = noiseMatched(site, random: &random)
        }
        return InjectedAttack(kind, at: site, forged: forged)
    }

    /// Returns a forged fix for each of the site's fixes, at the host's times.
    ///
    /// If the host repeats a position within half a second, the forged position is also repeated.
    func replacing(
        _ site: AttackSite, random: inout RandomSource,
        _ forge: (_ index: Int, _ seconds: Double, _ random: inout RandomSource) -> Fix
    ) -> [ForgedFix] {
        let host = site.host
        let start = host.seconds[site.range.lowerBound - 1]
        var last: Fix?
        return site.range.map { index in
            let isRepeat =
                host.coordinate(index) == host.coordinate(index - 1)
                && host.seconds[index] - host.seconds[index - 1] < 0.5
            let repeated = isRepeat ? last : nil
            let fake = repeated ?? forge(index, host.seconds[index] - start, &random)
            last = fake
            return host.forge(index, fake, random: &random)
        }
    }
}

extension Fix {
    /// Draws the constant fields of an app that fakes positions.
    ///
    /// Such apps hard-code "bearing, speed, accuracy, altitude and time interval" (HyperTrack, 2017). The platforms
    /// require an accuracy, and altitude, speed and bearing default to 0.
    static func ofFakingApp(at coordinate: Coordinate, speed: Double, random: inout RandomSource) -> Fix {
        // Constants of sample code and popular apps; the last constant represents a copied fix.
        let accuracies = [1, 3, 5, 10, 20, 0.01, random.uniform(in: 3...15)]
        let altitudes = [0, 0, 1, 3, 10, 50, random.uniform(in: 5...300)]
        var fix = Fix(coordinate: coordinate)
        fix.accuracyMeters = accuracies[random.index(below: accuracies.count)]
        fix.altitudeMeters = altitudes[random.index(below: altitudes.count)]
        fix.speedMetersPerSecond = speed
        fix.headingDegrees = 0
        return fix
    }
}
