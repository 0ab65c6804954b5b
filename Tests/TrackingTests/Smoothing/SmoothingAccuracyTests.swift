import Evaluation
import Testing

@testable import Tracking

/// How much better than raw the smoothed positions are, where the truth is known.
@Suite struct SmoothingAccuracyTests {
    /// Neither the seeds that the constants were fitted on nor those of the report.
    private static let seeds: ClosedRange<UInt64> = 11...16

    @Test(
        "on simulated drives the error falls to the share that the targets name, and is never worse than raw by over 5 %",
        arguments: SmoothingScenario.all.map(\.name))
    func simulated(name: String) throws {
        let scenario = try #require(SmoothingScenario.all.first { $0.name == name })
        let ratio = try #require(scenario.score(seeds: Self.seeds).ratio)
        #expect(ratio <= scenario.ratioLimit, "ratio \(ratio), seeds \(Self.seeds)")
    }

    @Test(
        "no recording with truth gets worse than raw by more than 2 %, and the urban canyon gets much better",
        .enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."),
        arguments: [
            ("truth/urban_canyon_hongkong", 0.75), ("truth/gsdc_phones_2020-05-14", 1.02),
            ("truth/comma2k19_highway", 1.02),
        ])
    func recorded(name: String, bound: Double) throws {
        var score = SmoothingScore()
        for trace in try Recording(name).traces { score.merge(SmoothingScore(trace)) }
        #expect(try #require(score.ratio) <= bound)
    }
}
