import Testing

@testable import Domain
@testable import Evaluation
@testable import Simulation

/// What holds for attacks of every kind.
struct InjectedAttackTests {
    @Test("attacks of every kind can be made on simulated drives", arguments: AttackKind.allCases)
    func possible(kind: AttackKind) {
        #expect(SampleAttacks.make(kind).count == 12)
    }

    @Test("time and sequence never go back, and no session begins", arguments: AttackKind.allCases)
    func order(kind: AttackKind) {
        for (attack, host) in SampleAttacks.make(kind) {
            // Phones that stamp half a second early or late may swap two fixes of their own.
            let tolerance = host.intervalSpread > 0.1 ? 1.0 : 0.0
            for index in 1..<attack.trace.fixes.count {
                let step = attack.trace.takenAt(index).seconds(since: attack.trace.takenAt(index - 1))
                #expect(step >= -tolerance, "\(kind) \(attack.trace.name) \(index), seed \(SampleAttacks.seed)")
                #expect(attack.trace.receivedAt[index] >= attack.trace.receivedAt[index - 1])
                if let sequence = attack.trace.fixes[index].sequence,
                    let before = attack.trace.fixes[index - 1].sequence
                {
                    #expect(sequence > before)
                }
                #expect(attack.trace.fixes[index].sessionHash == attack.trace.fixes[0].sessionHash)
            }
        }
    }

    @Test("before an attack lie 30 honest fixes and a minute, unbroken", arguments: AttackKind.allCases)
    func lead(kind: AttackKind) {
        for (attack, host) in SampleAttacks.make(kind) {
            let start = attack.range.lowerBound
            #expect(start >= 30)
            #expect(attack.trace.takenAt(start - 1).seconds(since: attack.trace.takenAt(0)) >= 59 - host.medianInterval)
            for index in start - 29..<start {
                let step = attack.trace.takenAt(index).seconds(since: attack.trace.takenAt(index - 1))
                #expect(step <= AttackHost.maximumGapSeconds)
            }
        }
    }

    @Test("exactly the forged fixes are labelled, and the others are the host's own", arguments: AttackKind.allCases)
    func labels(kind: AttackKind) {
        for (attack, host) in SampleAttacks.make(kind) {
            for (index, fix) in attack.trace.fixes.enumerated() {
                #expect(attack.trace.isForged[index] == attack.range.contains(index))
                guard !attack.range.contains(index) else { continue }
                let own = host.trace.fixes.contains { $0.deviceAt == fix.deviceAt && $0.coordinate == fix.coordinate }
                #expect(own, "\(kind) \(attack.trace.name) \(index), seed \(SampleAttacks.seed)")
            }
        }
    }

    @Test("attacks last as long as their kind says", arguments: AttackKind.allCases)
    func duration(kind: AttackKind) {
        for (attack, _) in SampleAttacks.make(kind) {
            let seconds = attack.seconds(to: attack.range.upperBound - 1)
            #expect(seconds <= kind.seconds.upperBound + 10)
            // A replay may be silent for up to 40 s before, and lasts 45 s at least.
            #expect(seconds >= kind.seconds.lowerBound - 16)
        }
    }

    @Test("where it is honest again, ten fixes follow", arguments: AttackKind.allCases)
    func tail(kind: AttackKind) {
        for (attack, _) in SampleAttacks.make(kind) {
            let after = attack.trace.fixes.count - attack.range.upperBound
            #expect(kind.endsHonestly ? after >= 10 : after == 0)
            #expect(attack.watched.upperBound == attack.range.upperBound + (kind.endsHonestly ? 10 : 0))
        }
    }

    @Test("a field that the host's app never sends is not forged either", arguments: AttackKind.allCases)
    func presence(kind: AttackKind) {
        for (attack, host) in SampleAttacks.make(kind) {
            for fix in attack.forged {
                #expect(host.hasAccuracy || fix.accuracyMeters == nil)
                #expect(host.hasSpeed || fix.speedMetersPerSecond == nil)
                #expect(host.hasHeading || fix.headingDegrees == nil)
                #expect(host.hasAltitude || fix.altitudeMeters == nil)
            }
        }
    }

    @Test("the same seed gives the same attack, another seed another one")
    func seeds() throws {
        func fixes(seed: UInt64) throws -> [Coordinate] {
            var random = RandomSource(seed: seed)
            let injector = AttackInjector(hosts: SampleAttacks.hosts)
            let attack = try #require(injector.attack(.jitteredRoute, on: SampleAttacks.hosts[0], random: &random))
            return attack.trace.fixes.map(\.coordinate)
        }
        #expect(try fixes(seed: 3) == fixes(seed: 3))
        #expect(try fixes(seed: 3) != fixes(seed: 4))
    }
}
