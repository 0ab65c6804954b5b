import Testing

@testable import Domain
@testable import Evaluation
@testable import Simulation

/// Properties of attacks of every kind.
struct InjectedAttackTests {
    @Test("attacks of every kind can be made on simulated drives", arguments: AttackKind.allCases)
    func possible(kind: AttackKind) {
        #expect(SampleAttacks.make(kind).count == 12)
    }

    @Test("times never decrease, sequences increase, and the session stays the same", arguments: AttackKind.allCases)
    func order(kind: AttackKind) {
        for (attack, host) in SampleAttacks.make(kind) {
            // Phones with timestamp errors of half a second may swap two of their own fixes.
            let tolerance = host.intervalSpread > 0.1 ? 1.0 : 0.0
            for index in 1..<attack.trace.fixes.count {
                let step = attack.trace.measuredAt(index).seconds(since: attack.trace.measuredAt(index - 1))
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

    @Test("30 honest fixes without a gap, over about a minute, precede an attack", arguments: AttackKind.allCases)
    func lead(kind: AttackKind) {
        for (attack, host) in SampleAttacks.make(kind) {
            let start = attack.range.lowerBound
            #expect(start >= 30)
            #expect(
                attack.trace.measuredAt(start - 1).seconds(since: attack.trace.measuredAt(0)) >= 59
                    - host.medianInterval)
            for index in start - 29..<start {
                let step = attack.trace.measuredAt(index).seconds(since: attack.trace.measuredAt(index - 1))
                #expect(step <= AttackHost.maximumGapSeconds)
            }
        }
    }

    @Test("exactly the forged fixes are labelled, and all other fixes are the host's", arguments: AttackKind.allCases)
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

    @Test("attacks have the duration of their kind", arguments: AttackKind.allCases)
    func duration(kind: AttackKind) {
        for (attack, _) in SampleAttacks.make(kind) {
            let seconds = attack.seconds(to: attack.range.upperBound - 1)
            #expect(seconds <= kind.seconds.upperBound + 10)
            // A replay may start with a gap of up to 40 s, and lasts at least 45 s.
            #expect(seconds >= kind.seconds.lowerBound - 16)
        }
    }

    @Test("at least ten honest fixes follow an attack that ends", arguments: AttackKind.allCases)
    func tail(kind: AttackKind) {
        for (attack, _) in SampleAttacks.make(kind) {
            let after = attack.trace.fixes.count - attack.range.upperBound
            #expect(kind.endsHonestly ? after >= 10 : after == 0)
            #expect(attack.watched.upperBound == attack.range.upperBound + (kind.endsHonestly ? 10 : 0))
        }
    }

    @Test("a field that the host's app never sends is not forged", arguments: AttackKind.allCases)
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

    @Test("the same seed gives the same attack, and another seed gives a different attack")
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
