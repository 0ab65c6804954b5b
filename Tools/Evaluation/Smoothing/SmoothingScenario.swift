import Domain
import Foundation
import Recordings

/// Simulated drives of one kind, with the target of the smoothing.
package struct SmoothingScenario: Sendable {
    package var name: String
    package var style = SimulatedDrive.Style.town
    /// Whether the vehicle stands throughout.
    package var isParked = false
    package var receiver = SimulatedReceiver()
    /// Upper limit of smoothed over raw RMSE.
    package var ratioLimit = 1.05

    /// Seeds for checking; the filter's constants were fitted on the seeds 1 to 8.
    package static let checkingSeeds: ClosedRange<UInt64> = 101...112

    package static let driveSeconds = 900.0

    /// Returns the score over the drives with these seeds.
    package func score(
        seeds: ClosedRange<UInt64> = checkingSeeds, baselines: [BaselineFilter] = [],
        settings: TrackingSettings = TrackingSettings()
    ) -> SmoothingScore {
        var score = SmoothingScore()
        for trace in traces(seeds: seeds) {
            score.merge(SmoothingScore(trace, baselines: baselines, settings: settings))
        }
        return score
    }

    /// Returns the traces of the drives with these seeds.
    func traces(seeds: ClosedRange<UInt64>) -> [RecordedTrace] {
        seeds.map { seed in
            let drive =
                isParked
                ? SimulatedDrive(parkedSeconds: Self.driveSeconds)
                : SimulatedDrive(seed: seed, seconds: Self.driveSeconds, style: style)
            return receiver.trace(of: drive, seed: seed)
        }
    }
}

extension SmoothingScenario {
    /// Every reported scenario, in order.
    package static let all: [SmoothingScenario] = byNoise + asRecorded + bare + harder + lasting

    /// White and correlated noise, with correct accuracy and speed.
    private static let byNoise: [SmoothingScenario] = [SimulatedReceiver.Noise.white, .correlated].flatMap { noise in
        [1.0, 4].flatMap { interval in
            [5.0, 15].map { sigma in
                var scenario = SmoothingScenario(name: "\(noise) \(Int(sigma)) m, every \(Int(interval)) s")
                scenario.receiver.noise = noise
                scenario.receiver.intervalSeconds = interval
                scenario.receiver.sigmaMeters = sigma
                scenario.ratioLimit = noise == .white ? (interval == 1 ? 0.35 : 0.60) : (interval == 1 ? 0.80 : 0.90)
                return scenario
            }
        }
    }

    /// Noise of recorded phones: a filter can gain almost nothing, and may increase the error by at most 5 %.
    private static let asRecorded: [SmoothingScenario] = [1.0, 4].flatMap { interval in
        [1.0, 3].map { sigma in
            var scenario = SmoothingScenario(
                name: "as recorded phones, \(Int(sigma)) m, every \(Int(interval)) s")
            scenario.receiver.noise = .recorded
            scenario.receiver.intervalSeconds = interval
            scenario.receiver.sigmaMeters = sigma
            return scenario
        }
    }

    /// The scenarios of ``byNoise`` with devices that send fewer fields.
    private static let bare: [SmoothingScenario] = byNoise.flatMap { scenario in
        [(false, true, "no speed"), (true, false, "no accuracy"), (false, false, "positions only")].map { variant in
            var poorer = scenario
            poorer.receiver.givesSpeed = variant.0
            poorer.receiver.givesAccuracy = variant.1
            poorer.name += ", \(variant.2)"
            poorer.ratioLimit = 1.05
            return poorer
        }
    }

    private static let harder: [SmoothingScenario] = {
        let turns = SmoothingScenario(name: "turns", style: .turns)
        let stops = SmoothingScenario(name: "stop and go", style: .stopAndGo)
        var outliers = SmoothingScenario(name: "3 % outliers")
        outliers.receiver.outlierShare = 0.03
        outliers.ratioLimit = 0.35
        var loss = SmoothingScenario(name: "20 % lost")
        loss.receiver.lossShare = 0.2
        let canyons = [0.2, 1, 4].map { interval in
            var canyon = SmoothingScenario(name: String(format: "street canyon, every %g s", interval))
            canyon.receiver.noise = .canyon
            canyon.receiver.intervalSeconds = interval
            canyon.ratioLimit = 0.90
            return canyon
        }
        return [turns, stops, outliers, loss] + canyons
    }()

    /// Receivers with lasting errors, whose stated accuracy is only a fraction of the error.
    private static let lasting: [SmoothingScenario] = {
        let city = [0.2, 1, 4].map { interval in
            var city = SmoothingScenario(name: String(format: "dense city, every %g s", interval))
            city.receiver.intervalSeconds = interval
            city.receiver.sigmaMeters = 10
            (city.receiver.correlatedShare, city.receiver.correlationSeconds) = (0.95, 60)
            city.receiver.statedShare = 0.4
            return city
        }
        // The largest error of a drive is about 110 m.
        let parked = [true, false].map { givesAccuracy in
            var parked = SmoothingScenario(name: "parked without a useful fix" + (givesAccuracy ? "" : ", no accuracy"))
            parked.isParked = true
            parked.receiver.sigmaMeters = 35
            (parked.receiver.correlatedShare, parked.receiver.correlationSeconds) = (0.98, 90)
            parked.receiver.statedShare = 0.25
            parked.receiver.givesAccuracy = givesAccuracy
            return parked
        }
        return city + parked
    }()
}
