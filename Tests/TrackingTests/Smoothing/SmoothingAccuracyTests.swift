import Testing

@testable import Tracking

/// How much better than raw the smoothed positions are, where the truth is known.
@Suite struct SmoothingAccuracyTests {
    /// Pooled over six simulated drives of 15 minutes.
    private func pooledRatio(
        interval: Double, sigma: Double, noise: SimulatedDrive.Noise, withSpeed: Bool, withAccuracy: Bool
    ) -> (ratio: Double, coverage: Double) {
        var raw = 0.0
        var smoothed = 0.0
        var coverage = 0.0
        for seed in UInt64(11)...16 {
            let drive = SimulatedDrive(seed: seed, duration: 900, interval: interval)
            let fixes = drive.fixes(
                sigma: sigma, noise: noise, seed: seed + 100, withSpeed: withSpeed, withAccuracy: withAccuracy)
            let score = SmoothingScore.of(fixes) { drive.truth($0) }
            raw += score.rawRootMeanSquare * score.rawRootMeanSquare
            smoothed += score.rootMeanSquare * score.rootMeanSquare
            coverage += score.coverage
        }
        return ((smoothed / raw).squareRoot(), coverage / 6)
    }

    /// Bounds of docs on accuracy: white noise flatters, so correlated noise is judged beside it.
    @Test(
        "with honest accuracy and speed the error falls to the share that the targets name",
        arguments: [
            (1.0, 5.0, SimulatedDrive.Noise.white, 0.35), (4, 5, .white, 0.60), (1, 5, .correlated, 0.83),
            (1, 15, .correlated, 0.80), (4, 5, .correlated, 0.90), (4, 15, .correlated, 0.90),
        ])
    func simulated(interval: Double, sigma: Double, noise: SimulatedDrive.Noise, bound: Double) {
        let result = pooledRatio(interval: interval, sigma: sigma, noise: noise, withSpeed: true, withAccuracy: true)
        #expect(result.ratio <= bound, "ratio \(result.ratio), seeds 11 to 16")
        if noise == .correlated {
            #expect((0.55...0.80).contains(result.coverage), "coverage \(result.coverage), seeds 11 to 16")
        }
    }

    @Test("without speed or accuracy it is never more than 5 % worse than raw", arguments: [1.0, 4], [5.0, 15])
    func bare(interval: Double, sigma: Double) {
        for noise in [SimulatedDrive.Noise.white, .correlated] {
            for (withSpeed, withAccuracy) in [(false, true), (true, false), (false, false)] {
                let result = pooledRatio(
                    interval: interval, sigma: sigma, noise: noise, withSpeed: withSpeed, withAccuracy: withAccuracy)
                #expect(result.ratio <= 1.05, "\(noise) speed \(withSpeed) accuracy \(withAccuracy): \(result.ratio)")
            }
        }
    }

    @Test(
        "no recording with truth gets worse than raw by more than 2 %, and the urban canyon gets much better",
        .enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."),
        arguments: [
            ("truth/urban_canyon_hongkong", 0.75), ("truth/gsdc_phones_2020-05-14", 1.02),
            ("truth/comma2k19_highway", 1.02),
        ])
    func recorded(name: String, bound: Double) throws {
        let judge = FixJudge(settings: JudgedTrace.unlimited)
        var tracks = TrackMemory()
        var raw = 0.0
        var smoothed = 0.0
        for trace in try Recording(name).traces {
            let score = JudgedTrace(trace, judge: judge, tracks: &tracks).score
            guard score.count > 0 else { continue }
            raw += score.rawRootMeanSquare * score.rawRootMeanSquare * Double(score.count)
            smoothed += score.rootMeanSquare * score.rootMeanSquare * Double(score.count)
            print(
                "\(trace.id): raw \(score.rawRootMeanSquare) m, ratio \(score.ratio),",
                "within accuracy \(score.coverage), within twice \(score.doubleCoverage)")
        }
        print("\(name): ratio of all \((smoothed / raw).squareRoot())")
        #expect((smoothed / raw).squareRoot() <= bound)
    }
}
