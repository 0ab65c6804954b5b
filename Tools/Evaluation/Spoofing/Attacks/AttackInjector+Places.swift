import Domain
import Simulation

/// Attacks that fake a position.
extension AttackInjector {
    /// Reports one exact coordinate, with the constant fields of a spoofing app.
    func pin(_ site: AttackSite, meters: ClosedRange<Double>, random: inout RandomSource) -> [ForgedFix] {
        let point = Geodesy.destination(
            from: site.lastHonest, bearingDegrees: random.uniform(in: 0...360),
            distanceMeters: random.uniform(in: meters))
        let fake = Fix.ofFakingApp(at: point, speed: 0, random: &random)
        return replacing(site, random: &random) { _, _, _ in fake }
    }

    /// Stays at a point 2 to 20 km away, with the noise of a standing receiver.
    func stay(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let point = Geodesy.destination(
            from: site.lastHonest, bearingDegrees: random.uniform(in: 0...360),
            distanceMeters: random.uniform(in: 2000...20_000))
        let plane = TangentPlane(origin: point)
        let slowMeters = random.uniform(in: 1.0...4)
        var noise = ReceiverNoise(random: &random)
        var copied = CopiedFields(before: site, random: &random)
        return replacing(site, random: &random) { _, seconds, random in
            var fake = copied.next()
            fake.coordinate = plane.coordinate(of: noise.next(at: seconds, slowMeters: slowMeters, random: &random))
            fake.speedMetersPerSecond = max(0, 0.15 * random.normal())
            fake.headingDegrees = nil
            return fake
        }
    }

    /// Pretends that a waiting driver is 300 to 800 m away.
    ///
    /// Seven of ten attacks jump there at once; three of ten drive there at 8 to 15 m/s. The spoofing app's fields are
    /// constant with a speed of 0; the altitude is the last measured altitude.
    func pickup(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let bearing = random.uniform(in: 0...360)
        let meters = random.uniform(in: 300...800)
        let speed = random.chance(0.7) ? Double.infinity : random.uniform(in: 8...15)
        var fake = Fix.ofFakingApp(at: site.lastHonest, speed: 0, random: &random)
        fake.altitudeMeters = site.host.trace.fixes[site.range.lowerBound - 1].altitudeMeters
        return replacing(site, random: &random) { _, seconds, _ in
            let distance = seconds > 0 ? min(meters, speed * seconds) : 0
            fake.coordinate = Geodesy.destination(
                from: site.lastHonest, bearingDegrees: bearing, distanceMeters: distance)
            return fake
        }
    }

    /// Displaces the true track by 300 m to the side; all other fields are as measured.
    func offset(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let course = Geodesy.bearingDegrees(
            from: site.lastHonest, to: site.host.coordinate(site.range.upperBound))
        let bearing = Geodesy.normalizedHeading(course + (random.chance(0.5) ? 90 : -90))
        return replacing(site, random: &random) { index, _, _ in
            site.host.trace.fixes[index].displaced(bearingDegrees: bearing, meters: 300)
        }
    }

    /// Drifts away from the true track at 1 to 3 m/s in one direction; all other fields are as measured.
    func drift(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let bearing = random.uniform(in: 0...360)
        let speed = random.uniform(in: 1...3)
        return replacing(site, random: &random) { index, seconds, _ in
            site.host.trace.fixes[index].displaced(bearingDegrees: bearing, meters: speed * max(0, seconds))
        }
    }
}

extension Fix {
    fileprivate func displaced(bearingDegrees: Double, meters: Double) -> Fix {
        var fix = self
        fix.coordinate = Geodesy.destination(
            from: coordinate, bearingDegrees: bearingDegrees, distanceMeters: meters)
        return fix
    }
}
