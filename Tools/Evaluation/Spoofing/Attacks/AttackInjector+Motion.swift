import Domain
import Simulation

/// Attacks that fake driving.
extension AttackInjector {
    private func route(_ site: AttackSite, random: inout RandomSource) -> FakeRoute {
        random.chance(0.5)
            ? .straightLegs(from: site.lastHonest, course: site.course, random: &random)
            : .laterTrack(of: site, random: &random)
    }

    /// Drives along a route at constant speed from the true position, with the fields of a spoofing app.
    func simulatedRoute(
        _ site: AttackSite, jitterMeters: ClosedRange<Double>, random: inout RandomSource
    ) -> [ForgedFix] {
        let route = route(site, random: &random)
        let speed = random.uniform(in: 7...20)
        let jitter = random.uniform(in: jitterMeters)
        let app = Fix.ofFakingApp(at: site.lastHonest, speed: speed, random: &random)
        // Half of the apps that jitter the position also jitter accuracy and speed.
        let jittersFields = jitter > 0 && random.chance(0.5)
        return replacing(site, random: &random) { _, seconds, random in
            let position = route.position(after: speed * max(0, seconds))
            var fake = app
            fake.headingDegrees = position.heading
            if jittersFields {
                fake.accuracyMeters = app.accuracyMeters.map { $0 * random.uniform(in: 0.7...1.3) }
                fake.speedMetersPerSecond = max(0, speed + 0.3 * random.normal())
            }
            let coordinate = position.coordinate
            fake.coordinate = jitter > 0 ? coordinate.moved(by: jitter, random: &random) : coordinate
            return fake
        }
    }

    /// Moves away at 250 to 540 km/h, with accuracy and altitude of honest fixes.
    func race(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let bearing = random.uniform(in: 0...360)
        let speed = random.uniform(in: 70...150)
        var copied = CopiedFields(before: site, random: &random)
        return replacing(site, random: &random) { _, seconds, random in
            var fake = copied.next()
            fake.speedMetersPerSecond = speed
            fake.headingDegrees = bearing
            fake.coordinate = Geodesy.destination(
                from: site.lastHonest, bearingDegrees: bearing, distanceMeters: speed * max(0, seconds)
            ).moved(by: 3, random: &random)
            return fake
        }
    }

    /// Reports a speed of 0 or another constant; half of the attacks generate the motion, and half keep it.
    func hardCodedSpeed(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let constants = [0, 0, 5, 10, 13.9]
        let constant = constants[random.index(below: constants.count)]
        let motion = random.chance(0.5) ? motion(site, noiseMeters: 2, random: &random) : nil
        return replacing(site, random: &random) { index, seconds, random in
            var fake = motion?(seconds, &random) ?? site.host.trace.fixes[index]
            fake.speedMetersPerSecond = constant
            return fake
        }
    }

    /// Generates motion with the platform's mock flag.
    func mocked(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let motion = motion(site, noiseMeters: 2, random: &random)
        return replacing(site, random: &random) { _, seconds, random in
            var fake = motion(seconds, &random)
            fake.isMock = true
            return fake
        }
    }

    /// Generates driving and stops along a later part of the track, with white noise and fields of honest fixes.
    func motion(
        _ site: AttackSite, noiseMeters: Double, random: inout RandomSource
    ) -> (Double, inout RandomSource) -> Fix {
        let route = FakeRoute.laterTrack(of: site, random: &random)
        let profile = FakeSpeedProfile(
            from: site.host.recentSpeed(site.range.lowerBound), seconds: max(260, site.span + 20), random: &random)
        var copied = CopiedFields(before: site, random: &random)
        return { seconds, random in
            let now = profile.at(seconds)
            let position = route.position(after: now.meters)
            var fake = copied.next()
            fake.speedMetersPerSecond = max(0, now.speed + 0.2 * random.normal())
            fake.headingDegrees = Geodesy.normalizedHeading(position.heading + 3 * random.normal())
            fake.coordinate = position.coordinate.moved(by: noiseMeters, random: &random)
            return fake
        }
    }

    /// Generates motion with receiver noise that matches the host's accuracy, and with the host's fields and times.
    func noiseMatched(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let host = site.host
        let route = FakeRoute.laterTrack(of: site, random: &random)
        let profile = FakeSpeedProfile(
            from: host.recentSpeed(site.range.lowerBound), seconds: max(260, site.span + 20), random: &random)
        let accuracy = host.trace.fixes[site.range.lowerBound - 1].accuracyMeters ?? 5
        let slowMeters = max(0.6, min(4, accuracy / 1.51))
        var noise = ReceiverNoise(random: &random)
        var copied = CopiedFields(before: site, random: &random)
        return replacing(site, random: &random) { _, seconds, random in
            let now = profile.at(seconds)
            let position = route.position(after: now.meters)
            var fake = copied.next()
            fake.speedMetersPerSecond = max(0, now.speed + 0.2 * random.normal())
            fake.headingDegrees =
                now.speed > 0.5 ? Geodesy.normalizedHeading(position.heading + 3 * random.normal()) : nil
            let error = noise.next(at: seconds, slowMeters: slowMeters, random: &random)
            fake.coordinate = TangentPlane(origin: position.coordinate).coordinate(of: error)
            return fake
        }
    }
}

extension Coordinate {
    /// Returns the coordinate with white noise of this standard deviation per axis, in metres.
    func moved(by sigmaMeters: Double, random: inout RandomSource) -> Coordinate {
        let error = TangentPlane.Point(east: sigmaMeters * random.normal(), north: sigmaMeters * random.normal())
        return TangentPlane(origin: self).coordinate(of: error)
    }
}
