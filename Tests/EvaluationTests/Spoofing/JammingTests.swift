import TestSupport
import Testing

@testable import Domain
@testable import Evaluation

/// Spoof detection in simulated towns with a quarter in which satellite signals are jammed.
@Suite struct JammingTests {
    private static let seed: UInt64 = 11
    private static let town = JammedTown(seed: seed, number: 0)
    private static let rows = JammingTally.measure(towns: 3, seed: seed)

    /// Returns the results with and without the recognition of interference.
    private func rows(of kind: JammingKind) throws -> (with: JammingTally, without: JammingTally) {
        let rows = Self.rows.filter { $0.kind == kind.rawValue }
        return (try #require(rows.first), try #require(rows.last))
    }

    @Test("jamming moves fixes of at least three drivers in one quarter for four minutes")
    func quarter() {
        for kind in JammingKind.allCases where kind != .cheaters {
            let traces = Self.town.jammed(kind, seed: Self.seed)
            let jammed = traces.filter(\.hasForgedFixes)
            #expect(jammed.count >= 3 && jammed.count < JammedTown.drivers / 2, "\(kind), seed \(Self.seed)")
            for trace in jammed {
                for index in trace.fixes.indices where trace.isForged[index] {
                    let seconds = trace.measuredAt(index).seconds(since: Self.town.begin) - JammedTown.onsetSeconds
                    #expect(seconds >= 0 && seconds < JammedTown.jammedSeconds)
                }
            }
        }
    }

    @Test("the same seed gives the same jamming, and another seed gives different jamming")
    func seeds() {
        let traces = Self.town.jammed(.leaps, seed: 1).map { $0.fixes.map(\.coordinate) }
        #expect(traces == Self.town.jammed(.leaps, seed: 1).map { $0.fixes.map(\.coordinate) })
        #expect(traces != Self.town.jammed(.leaps, seed: 2).map { $0.fixes.map(\.coordinate) })
    }

    @Test(
        "interference is recognised within ten seconds, and under 25 % of drivers are flagged", .nightly,
        arguments: [JammingKind.leaps, .capture, .drift])
    func interference(kind: JammingKind) throws {
        let (with, without) = try rows(of: kind)
        #expect(with.delaysSeconds.count == 3 && (with.medianDelaySeconds ?? .max) <= 10, "seed \(Self.seed)")
        #expect(share(with.labelledDrivers, with) > 0.9, "seed \(Self.seed)")
        #expect(
            share(with.flaggedDrivers, with) < 0.25 && share(without.flaggedDrivers, without) > 0.6, "seed \(Self.seed)"
        )
        #expect(share(with.suspectDrivers, with) < share(without.suspectDrivers, without) / 2, "seed \(Self.seed)")
        #expect(without.labelledDrivers == 0)
    }

    @Test("the recognition of interference hardly protects independent cheaters", .nightly)
    func cheaters() throws {
        let (with, without) = try rows(of: .cheaters)
        #expect(with.drivers == 3 * JammedTown.drivers / 12)
        #expect(share(with.flaggedDrivers, with) >= share(without.flaggedDrivers, without) - 0.07, "seed \(Self.seed)")
        #expect(share(with.labelledDrivers, with) < 0.3, "seed \(Self.seed)")
    }

    private func share(_ count: Int, _ tally: JammingTally) -> Double { count.share(of: tally.drivers) }
}
