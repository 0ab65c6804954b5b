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

    package func score(
        seeds: ClosedRange<UInt64> = checkingSeeds, baselines: [BaselineFilter] = []
    ) -> SmoothingScore {
        var score = SmoothingScore()
        for trace in traces(seeds: seeds) { score.merge(SmoothingScore(trace, baselines: baselines)) }
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

    /// Returns the ratio of smoothed to raw path length of a vehicle that is parked for half an hour.
    ///
    /// The noise is 8 m per axis. The first minute is excluded, because the filter must first detect the halt.
    package static func parkedPathShare(seed: UInt64, givesSpeed: Bool) -> Double {
        var receiver = SimulatedReceiver()
        receiver.sigmaMeters = 8
        receiver.givesSpeed = givesSpeed
        let trace = receiver.trace(of: SimulatedDrive(parkedSeconds: 1800), seed: seed)
        func path(_ track: ShownTrack) -> Double {
            let points = track.positions.dropFirst(60).compactMap { $0?.coordinate }
            return zip(points, points.dropFirst()).reduce(0) { $0 + Geodesy.distanceMeters(from: $1.0, to: $1.1) }
        }
        return path(.smoothed(trace)) / path(.raw(trace))
    }
}

extension SmoothingScenario {
    /// Every reported scenario, in order.
    package static let all: [SmoothingScenario] = byNoise + asRecorded + bare + harder + lasting

    private static func make(
        _ name: String, limit: Double = 1.05, _ change: (inout SimulatedReceiver) -> Void
    ) -> SmoothingScenario {
        var scenario = SmoothingScenario(name: name, ratioLimit: limit)
        change(&scenario.receiver)
        return scenario
    }

    /// White and correlated noise, with correct accuracy and speed.
    private static let byNoise: [SmoothingScenario] = [
        (SimulatedReceiver.Noise.white, 1.0, 0.35), (.white, 4, 0.60), (.correlated, 1, 0.80), (.correlated, 4, 0.90),
    ].flatMap { noise, interval, limit in
        [5.0, 15].map { sigma in
            make("\(noise) \(Int(sigma)) m, every \(Int(interval)) s", limit: limit) { receiver in
                receiver.noise = noise
                receiver.intervalSeconds = interval
                receiver.sigmaMeters = sigma
            }
        }
    }

    /// Noise of recorded phones: a filter can gain almost nothing, and may increase the error by at most 5 %.
    private static let asRecorded: [SmoothingScenario] = [1.0, 4].flatMap { interval in
        [1.0, 3].map { sigma in
            make("as recorded phones, \(Int(sigma)) m, every \(Int(interval)) s") { receiver in
                receiver.noise = .recorded
                receiver.intervalSeconds = interval
                receiver.sigmaMeters = sigma
            }
        }
    }

    /// The scenarios of ``byNoise`` with devices that send fewer fields.
    private static let bare: [SmoothingScenario] = byNoise.flatMap { scenario in
        [(false, true, "no speed"), (true, false, "no accuracy"), (false, false, "positions only")].map { variant in
            var poorer = scenario
            (poorer.receiver.givesSpeed, poorer.receiver.givesAccuracy) = (variant.0, variant.1)
            poorer.name += ", \(variant.2)"
            poorer.ratioLimit = 1.05
            return poorer
        }
    }

    private static let harder: [SmoothingScenario] =
        [
            SmoothingScenario(name: "turns", style: .turns), SmoothingScenario(name: "stop and go", style: .stopAndGo),
            make("3 % outliers", limit: 0.35) { $0.outlierShare = 0.03 }, make("20 % lost") { $0.lossShare = 0.2 },
        ]
        + [0.2, 1, 4].map { interval in
            make(String(format: "street canyon, every %g s", interval), limit: 0.90) { receiver in
                receiver.noise = .canyon
                receiver.intervalSeconds = interval
            }
        }

    /// Receivers with lasting errors, whose stated accuracy is only a fraction of the error.
    private static let lasting: [SmoothingScenario] =
        [0.2, 1, 4].map { interval in
            make(String(format: "dense city, every %g s", interval)) { receiver in
                receiver.intervalSeconds = interval
                receiver.sigmaMeters = 10
                (receiver.correlatedShare, receiver.correlationSeconds) = (0.95, 60)
                receiver.statedShare = 0.4
            }
        }
        // The largest error of a drive is about 110 m.
        + [true, false].map { givesAccuracy in
            var parked = make("parked without a useful fix" + (givesAccuracy ? "" : ", no accuracy")) { receiver in
                receiver.sigmaMeters = 35
                (receiver.correlatedShare, receiver.correlationSeconds) = (0.98, 90)
                receiver.statedShare = 0.25
                receiver.givesAccuracy = givesAccuracy
            }
            parked.isParked = true
            return parked
        }
}
