import Domain
import Foundation
import Simulation

/// Simulated drives of a phone that is off for a while and then right again.
package struct RecoveryScenario: Sendable {
    /// What happens to the phone.
    package enum Kind: String, Sendable, CaseIterable {
        /// Drifts away by 20 to 80 m over 10 to 30 s, and leaps back while the vehicle drives.
        case moving
        /// The same, and leaps back while the vehicle brakes to a halt.
        case braking
        /// Is 20 to 80 m off for one or two fixes.
        case outliers
    }

    package var kind: Kind
    package var phone = FilteringPhone()

    package static let driveSeconds = 900.0
    /// The excursions of a drive are at least this far apart, in seconds; recovery is watched for as long.
    static let restSeconds = 20.0

    package var name: String {
        let event =
            switch kind {
            case .moving: "drift, back while driving"
            case .braking: "drift, back while braking to a halt"
            case .outliers: "outliers of one or two fixes"
            }
        let velocity =
            switch phone.velocity {
            case .measured: "velocity"
            case .derived: "velocity of the track"
            case .absent: "no velocity"
            }
        let rate = String(format: "every %g s", phone.intervalSeconds)
        return "\(event), \(rate), \(velocity)" + (phone.givesAccuracy ? "" : ", no accuracy")
    }

    /// The score of the drives with these seeds together.
    package func score(
        seeds: ClosedRange<UInt64> = SmoothingScenario.checkingSeeds, settings: TrackingSettings = TrackingSettings()
    ) -> RecoveryScore {
        var score = RecoveryScore()
        for seed in seeds {
            let drive = SimulatedDrive(
                seed: seed, seconds: Self.driveSeconds, style: kind == .braking ? .stopAndGo : .town)
            let excursions = excursions(on: drive, seed: seed)
            let trace = phone.trace(of: drive, with: excursions, seed: seed)
            score.add(trace, excursions, settings: settings)
        }
        return score
    }

    /// When the phone is off on a drive: the same for every phone of the same rate.
    private func excursions(on drive: SimulatedDrive, seed: UInt64) -> [Excursion] {
        var random = RandomSource(seed: seed, index: 0, purpose: 2)
        var excursions: [Excursion] = []
        var free = Self.restSeconds
        for end in ends(on: drive, random: &random) {
            let fixes = Double(1 + random.index(below: 2))
            let drifting = random.uniform(in: 10...30)
            let (meters, angle) = (random.uniform(in: 20...80), random.uniform(in: 0...(2 * .pi)))
            let length = kind == .outliers ? fixes * phone.intervalSeconds : drifting
            guard end - length >= free, end + Self.restSeconds <= Self.driveSeconds else { continue }
            // Between two fixes, so that rounding does not decide how many fixes are off.
            let endSeconds = ((end / phone.intervalSeconds).rounded(.down) - 0.5) * phone.intervalSeconds
            excursions.append(
                Excursion(
                    kind: kind == .outliers ? .leap : .drift, beginSeconds: endSeconds - length,
                    endSeconds: endSeconds, east: meters * sin(angle), north: meters * cos(angle)))
            free = end + Self.restSeconds
        }
        return excursions
    }

    /// Instants at which the phone may leap back, in seconds.
    private func ends(on drive: SimulatedDrive, random: inout RandomSource) -> [Double] {
        let steps = drive.steps
        let tick = SimulatedDrive.tickSeconds
        switch kind {
        case .outliers: return stride(from: 30, to: Self.driveSeconds, by: 25).map { $0 + random.uniform(in: 0...5) }
        case .moving:
            // It drives, and still does so ten seconds later.
            return steps.indices.dropLast(100).filter { index in
                index % 50 == 0 && steps[index...(index + 100)].allSatisfy { $0.speedMetersPerSecond >= 5 }
            }.map { steps[$0].seconds + random.uniform(in: 0...1) }
        case .braking:
            return steps.indices.dropFirst().filter { index in
                steps[index].speedMetersPerSecond < 0.05 && steps[index - 1].speedMetersPerSecond >= 0.05
            }.map { stop in
                let begin = (1..<stop).reversed().first {
                    steps[$0].speedMetersPerSecond >= steps[$0 - 1].speedMetersPerSecond
                }
                return random.uniform(in: Double(begin ?? 0) * tick...Double(stop) * tick)
            }
        }
    }
}

extension RecoveryScenario {
    /// Every scenario that is reported, in order.
    package static let all: [RecoveryScenario] = Kind.allCases.flatMap { kind in
        [1.0, 0.2].flatMap { interval in
            FilteringPhone.Velocity.allCases.flatMap { velocity in
                [true, false].map { givesAccuracy in
                    var scenario = RecoveryScenario(kind: kind)
                    scenario.phone.velocity = velocity
                    scenario.phone.givesAccuracy = givesAccuracy
                    scenario.phone.intervalSeconds = interval
                    return scenario
                }
            }
        }
    }
}
