import Testing

@testable import Domain
@testable import Evaluation

/// Properties of each kind of attack.
struct AttackKindTests {
    private func distance(_ first: Fix, _ second: Fix) -> Double {
        Geodesy.distanceMeters(from: first.coordinate, to: second.coordinate)
    }

    @Test("a static point is one exact position 0.5 to 5 km away with constant fields")
    func staticPoint() throws {
        for (attack, _) in SampleAttacks.make(.staticPoint) {
            let first = try #require(attack.forged.first)
            #expect((499...5001).contains(distance(attack.lastHonest, first)))
            for fix in attack.forged {
                #expect(fix.coordinate == first.coordinate && fix.accuracyMeters == first.accuracyMeters)
                #expect(fix.altitudeMeters == first.altitudeMeters && (fix.speedMetersPerSecond ?? 0) == 0)
            }
        }
    }

    @Test("a frozen device stays at the last honest position while the vehicle drives away")
    func frozenInPlace() {
        for (attack, host) in SampleAttacks.make(.frozenInPlace) {
            var furthest = 0.0
            for fix in attack.forged {
                #expect(distance(fix, attack.lastHonest) < 0.01)
                if let honest = host.fix(at: fix.deviceAt) { furthest = max(furthest, distance(honest, fix)) }
            }
            #expect(furthest > 150)
        }
    }

    @Test("a route simulator starts at the vehicle with constant speed, accuracy and altitude")
    func routeSimulator() throws {
        for (attack, host) in SampleAttacks.make(.routeSimulator) {
            let first = try #require(attack.forged.first)
            for index in attack.range {
                let fix = attack.trace.fixes[index]
                #expect(fix.accuracyMeters == first.accuracyMeters && fix.altitudeMeters == first.altitudeMeters)
                #expect(fix.speedMetersPerSecond == first.speedMetersPerSecond)
                // The distance is at most that of a vehicle at 20 m/s.
                #expect(distance(fix, attack.lastHonest) <= 20 * max(0, attack.seconds(to: index)) + 0.5)
            }
            if host.hasSpeed { #expect((7...20).contains(try #require(first.speedMetersPerSecond))) }
        }
    }

    @Test("over 90 % of the fixes of a jittered route deviate from uniform motion")
    func jitteredRoute() {
        for (attack, host) in SampleAttacks.make(.jitteredRoute) where host.intervalSpread < 0.01 {
            // Second differences of an exact route are 0 on its legs; with jitter of 1.5 m, hardly any is 0.
            let fixes = Array(attack.forged)
            let wobbly = (1..<fixes.count - 1).count { index in
                let plane = TangentPlane(origin: fixes[index].coordinate)
                let (before, after) = (
                    plane.point(of: fixes[index - 1].coordinate), plane.point(of: fixes[index + 1].coordinate)
                )
                return abs(before.east + after.east) + abs(before.north + after.north) > 0.3
            }
            #expect(Double(wobbly) > 0.9 * Double(fixes.count - 2))
        }
    }

    @Test("a hard-coded speed is 0, 5, 10 or 13.9 m/s")
    func hardCodedSpeed() throws {
        for (attack, host) in SampleAttacks.make(.hardCodedSpeed) {
            #expect(host.hasSpeed)
            let speed = try #require(attack.forged.first?.speedMetersPerSecond)
            #expect([0, 5, 10, 13.9].contains(speed))
            #expect(attack.forged.allSatisfy { $0.speedMetersPerSecond == speed })
        }
    }

    @Test("every forged fix has the mock flag, and no honest fix has it")
    func mockFlag() {
        for (attack, _) in SampleAttacks.make(.mockFlag) {
            for (index, fix) in attack.trace.fixes.enumerated() { #expect(fix.isMock == attack.range.contains(index)) }
        }
    }

    @Test("an impossible speed is 250 to 540 km/h")
    func impossibleSpeed() {
        for (attack, _) in SampleAttacks.make(.impossibleSpeed) {
            let last = attack.range.upperBound - 1
            let speed = distance(attack.trace.fixes[last], attack.lastHonest) / attack.seconds(to: last)
            #expect((69...151).contains(speed))
        }
    }

    @Test("a teleported driver stays 2 to 20 km away, with noise")
    func teleportAndStay() throws {
        for (attack, _) in SampleAttacks.make(.teleportAndStay) {
            let first = try #require(attack.forged.first)
            #expect((1900...20_100).contains(distance(attack.lastHonest, first)))
            #expect(attack.forged.allSatisfy { distance($0, first) < 60 })
            #expect(attack.forged.dropFirst().contains { $0.coordinate != first.coordinate })
        }
    }

    @Test(
        "a replay repeats a track exactly, an hour after the original",
        arguments: [AttackKind.replayOwnTrack, .replayOtherTrack])
    func replay(kind: AttackKind) throws {
        for (attack, _) in SampleAttacks.make(kind) {
            let prelude = try #require(attack.prelude)
            #expect((prelude.name == attack.trace.name) == (kind == .replayOwnTrack))
            let start = attack.range.lowerBound
            let first = try #require(attack.forged.first)
            let source = try #require(prelude.fixes.firstIndex { $0.coordinate == first.coordinate })
            for (step, fix) in attack.forged.enumerated() {
                #expect(prelude.fixes[source + step].coordinate == fix.coordinate)
                let delay = attack.trace.measuredAt(start + step).seconds(since: prelude.measuredAt(source + step))
                #expect(abs(delay - 3600) < 0.01)
            }
            #expect(attack.forged.count >= 40)
            #expect(!attack.trace.fixes[..<start].contains { $0.coordinate == first.coordinate })
        }
    }

    @Test(
        "a replay starts at once or after a gap of 12 to 40 s",
        arguments: [AttackKind.replayOwnTrack, .replayOtherTrack])
    func gap(kind: AttackKind) {
        var gaps = 0
        for (attack, host) in SampleAttacks.make(kind) {
            let seconds = attack.seconds(to: attack.range.lowerBound)
            #expect(seconds <= 3 * host.medianInterval + 8 || (11...60).contains(seconds))
            if seconds > 11 { gaps += 1 }
        }
        #expect((1...11).contains(gaps))
    }

    @Test("a parallel track is 300 m from the true track, with speed and accuracy as measured")
    func parallelOffset() throws {
        for (attack, host) in SampleAttacks.make(.parallelOffset) {
            for fix in attack.forged {
                let honest = try #require(host.fix(at: fix.deviceAt))
                #expect(abs(distance(fix, honest) - 300) < 1)
                #expect(fix.speedMetersPerSecond == honest.speedMetersPerSecond)
                #expect(fix.accuracyMeters == honest.accuracyMeters)
            }
        }
    }

    @Test("a false pickup ends 230 to 800 m from a halted vehicle")
    func pickupOnly() throws {
        for (attack, host) in SampleAttacks.make(.pickupOnly) {
            let last = try #require(attack.forged.last)
            let meters = distance(last, attack.lastHonest)
            // At 8 m/s and in 30 s, the forged track may not reach the pickup, which is at least 300 m away.
            #expect((230...801).contains(meters))
            let honest = try #require(host.fix(at: last.deviceAt))
            #expect(distance(honest, attack.lastHonest) < 130)
        }
    }

    @Test("a wrong rhythm has exact intervals, although the host's are irregular")
    func wrongRhythm() {
        for (attack, host) in SampleAttacks.make(.wrongRhythm) {
            #expect(host.intervalSpread >= 0.01)
            let times = attack.range.map { attack.trace.measuredAt($0).milliseconds }
            let steps = Set(zip(times.dropFirst(), times).map { $0 - $1 })
            #expect(steps.count == 1)
            #expect(times.allSatisfy { $0 % 1000 == 0 })
        }
    }

    @Test("a drift grows by 1 to 3 m/s, with the speed as measured")
    func slowDrift() throws {
        for (attack, host) in SampleAttacks.make(.slowDrift) {
            for index in attack.range {
                let fix = attack.trace.fixes[index]
                let honest = try #require(host.fix(at: fix.deviceAt))
                let seconds = max(0, attack.seconds(to: index))
                #expect((seconds * 0.99 - 0.1...seconds * 3.01 + 0.1).contains(distance(fix, honest)))
                #expect(fix.speedMetersPerSecond == honest.speedMetersPerSecond)
            }
        }
    }

    @Test("a noise-matched forgery keeps the host's times and starts near the vehicle")
    func noiseMatched() throws {
        for (attack, host) in SampleAttacks.make(.noiseMatched) {
            for fix in attack.forged { #expect(host.fix(at: fix.deviceAt) != nil) }
            let first = try #require(attack.forged.first)
            #expect(distance(first, attack.lastHonest) < 40 + 25 * max(1, attack.seconds(to: attack.range.lowerBound)))
        }
    }

    @Test("the control without an attack leaves all fixes unchanged")
    func noAttack() throws {
        for (attack, host) in SampleAttacks.make(.noAttack) {
            for fix in attack.forged {
                let honest = try #require(host.fix(at: fix.deviceAt))
                #expect(fix.coordinate == honest.coordinate && fix.contentHash == honest.contentHash)
                #expect(fix.speedMetersPerSecond == honest.speedMetersPerSecond && fix.isMock == honest.isMock)
            }
        }
    }
}
