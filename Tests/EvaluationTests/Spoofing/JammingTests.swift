import TestSupport
import Testing

@testable import Domain
@testable import Evaluation

/// Quarters whose satellite signals are jammed: what must become of the honest drivers there.
@Suite struct JammingTests {
    private static let seed: UInt64 = 11
    private static let town = JammedTown(seed: seed, number: 0)
    private static let rows = JammingEvaluation.rows(towns: 3, seed: seed, TrackingSettings())

    private func rows(of kind: JammingKind) throws -> (with: SpoofingReport.Jamming, without: SpoofingReport.Jamming) {
        let rows = Self.rows.filter { $0.kind == kind.rawValue }
        return (try #require(rows.first), try #require(rows.last))
    }

    @Test("jamming moves fixes of three drivers or more in one quarter for four minutes, and no others")
    func quarter() {
        for kind in JammingKind.allCases where kind != .cheaters {
            let traces = Self.town.jammed(kind, seed: Self.seed)
            let jammed = traces.filter(\.holdsAttack)
            #expect(jammed.count >= 3 && jammed.count < JammedTown.drivers / 2, "\(kind), seed \(Self.seed)")
            for trace in jammed {
                for index in trace.fixes.indices where trace.isForged[index] {
                    let seconds = trace.takenAt(index).seconds(since: Self.town.begin) - JammedTown.onsetSeconds
                    #expect(seconds >= 0 && seconds < JammedTown.jammedSeconds)
                }
            }
        }
    }

    @Test("the same seed jams alike, another one otherwise")
    func seeds() {
        let traces = Self.town.jammed(.leaps, seed: 1).map { $0.fixes.map(\.coordinate) }
        #expect(traces == Self.town.jammed(.leaps, seed: 1).map { $0.fixes.map(\.coordinate) })
        #expect(traces != Self.town.jammed(.leaps, seed: 2).map { $0.fixes.map(\.coordinate) })
    }

    @Test(
        "a jammed quarter is told of within ten seconds, and few of its drivers are flagged", .nightly,
        arguments: [JammingKind.leaps, .capture, .drift])
    func blame(kind: JammingKind) throws {
        let (with, without) = try rows(of: kind)
        #expect(with.labelledTowns == 3 && (with.medianDelaySeconds ?? .max) <= 10, "seed \(Self.seed)")
        #expect(with.labelledShare > 0.9, "seed \(Self.seed)")
        #expect(with.flaggedShare < 0.25 && without.flaggedShare > 0.6, "seed \(Self.seed)")
        #expect(with.suspectShare < without.suspectShare / 2, "seed \(Self.seed)")
        #expect(without.labelledShare == 0)
    }

    @Test("of cheaters who meet by chance as many are flagged as without what is known of disturbances", .nightly)
    func cheaters() throws {
        let (with, without) = try rows(of: .cheaters)
        #expect(with.drivers == 3 * JammedTown.drivers / 12)
        #expect(with.flaggedShare >= without.flaggedShare - 0.07 && with.labelledShare < 0.3, "seed \(Self.seed)")
    }
}
