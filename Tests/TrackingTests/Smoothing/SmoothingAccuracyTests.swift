import Evaluation
import Testing

@testable import Tracking

/// How much better than raw the smoothed positions are, where the truth is known.
@Suite struct SmoothingAccuracyTests {
    /// Neither the seeds that the constants were fitted on, 1 to 8, nor those of the report.
    private static let seeds: ClosedRange<UInt64> = 11...16

    @Test(
        "on simulated drives the error falls to the share that the targets name, and is never worse than raw by over 5 %",
        arguments: SmoothingScenario.all.map(\.name))
    func simulated(name: String) throws {
        let scenario = try #require(SmoothingScenario.all.first { $0.name == name })
        let ratio = try #require(scenario.score(seeds: Self.seeds).ratio)
        #expect(ratio <= scenario.ratioLimit, "ratio \(ratio), seeds \(Self.seeds)")
    }

    @Test("with correlated noise and an honest device, 60 to 76 % of the errors lie within the accuracy given")
    func honesty() throws {
        for name in ["correlated 5 m, every 1 s", "correlated 15 m, every 1 s"] {
            let scenario = try #require(SmoothingScenario.all.first { $0.name == name })
            let honesty = scenario.score(seeds: Self.seeds).smoothed.honesty
            #expect((0.60...0.76).contains(try #require(honesty.shareWithin)), "\(name), seeds \(Self.seeds)")
            #expect(try #require(honesty.shareWithinTwice) >= 0.90, "\(name), seeds \(Self.seeds)")
        }
    }

    @Test("at a constant 15 m/s nothing lags", arguments: [1.0, 4], [true, false])
    func ramp(interval: Double, givesSpeed: Bool) {
        #expect(abs(RampAndParking.lagMeters(every: interval, givesSpeed: givesSpeed)) < 0.5)
    }

    @Test("with correlated noise too, a parked vehicle that reports its speed hardly moves", arguments: Self.seeds)
    func parked(seed: UInt64) {
        #expect(RampAndParking.parkedPathShare(seed: seed, givesSpeed: true) < 0.03, "seed \(seed)")
    }

    @Test(
        "no recording with truth gets worse than raw, the urban canyon much better, and its accuracy is honest",
        .enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."),
        arguments: [
            // What is reached is 0.568, 0.996 and 0.998.
            ("truth/urban_canyon_hongkong", 0.60, 0.60...0.82), ("truth/gsdc_phones_2020-05-14", 1.00, 0.60...0.85),
            ("truth/comma2k19_highway", 1.00, 0.50...0.76),
        ])
    func recorded(name: String, bound: Double, within: ClosedRange<Double>) throws {
        var score = SmoothingScore()
        for trace in try Recording(name).traces { score.merge(SmoothingScore(trace)) }
        #expect(try #require(score.ratio) <= bound)
        #expect(within.contains(try #require(score.smoothed.honesty.shareWithin)))
        #expect(try #require(score.smoothed.honesty.shareWithinTwice) >= 0.90)
    }

    @Test(
        "the recorded canyon gets no worse than raw either when the device gives less",
        .enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."),
        arguments: [
            // What is reached is 0.912, 0.938 and 0.969.
            (TraceVariant.withoutHeading, 0.96), (.withoutSpeed, 0.98), (.positionsOnly, 1.00),
        ])
    func poorer(variant: TraceVariant, bound: Double) throws {
        let trace = try #require(try Recording("truth/urban_canyon_hongkong").traces.first)
        #expect(try #require(SmoothingScore(variant.applied(to: trace)).ratio) <= bound)
    }

    @Test(
        "standing in the recorded canyon, the smoothed position wanders a fifth as far as the raw one",
        .enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."))
    func standing() throws {
        let trace = try #require(try Recording("truth/urban_canyon_hongkong").traces.first)
        let score = SmoothingScore(trace)
        let raw = try #require(score.wanderMetersPerMinute(score.raw))
        #expect(try #require(score.wanderMetersPerMinute(score.smoothed)) <= 0.2 * raw)
    }
}
