import Domain
import Foundation
import Simulation

/// A period in which a phone reports wrong positions; the first position after it is correct.
package struct Excursion: Sendable, Equatable {
    /// Whether the error grows from 0, as on phones without satellites, or is constant.
    package var isDrift: Bool
    /// Start and end in seconds since the beginning of the drive; a fix at the end is correct.
    package var beginSeconds: Double
    package var endSeconds: Double
    /// Error at the end, in metres.
    package var east: Double
    package var north: Double

    /// Length of (``east``, ``north``), in metres.
    package var meters: Double { (east * east + north * north).squareRoot() }

    /// Returns the share of the error that applies at a time, 0 to 1.
    func share(atSeconds seconds: Double) -> Double {
        guard seconds >= beginSeconds, seconds < endSeconds else { return 0 }
        return isDrift ? (seconds - beginSeconds) / (endSeconds - beginSeconds) : 1
    }

    /// Returns the derivative of ``share(atSeconds:)``.
    func sharePerSecond(atSeconds seconds: Double) -> Double {
        guard isDrift, seconds >= beginSeconds, seconds < endSeconds else { return 0 }
        return 1 / (endSeconds - beginSeconds)
    }
}

/// Simulated drives of a phone with excursions.
package struct RecoveryScenario: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Drifts away by 20 to 80 m over 10 to 30 s, and jumps back while the vehicle drives.
        case moving
        /// Drifts in the same way, and jumps back while the vehicle brakes to a halt.
        case braking
        /// One or two fixes with an error of 20 to 80 m.
        case outliers
    }

    package var kind: Kind
    package var phone: SimulatedReceiver

    package static let driveSeconds = 900.0
    /// Minimum time between excursions in seconds; also the time within which recovery is measured.
    static let restSeconds = 20.0

    package var name: String {
        let event =
            switch kind {
            case .moving: "drift, back while driving"
            case .braking: "drift, back while braking to a halt"
            case .outliers: "outliers of one or two fixes"
            }
        let velocity = !phone.givesSpeed ? "no velocity" : phone.derivesVelocity ? "velocity of the track" : "velocity"
        return "\(event), every 1 s, \(velocity)" + (phone.givesAccuracy ? "" : ", no accuracy")
    }

    /// Every reported scenario, in order; all have a fix per second.
    package static let all: [RecoveryScenario] = Kind.allCases.flatMap { kind in
        [(true, false), (true, true), (false, false)].flatMap { givesSpeed, derivesVelocity in
            [true, false].map { givesAccuracy in
                var phone = SimulatedReceiver()
                phone.noise = .filtered
                phone.correlationSeconds = 60
                (phone.givesSpeed, phone.derivesVelocity) = (givesSpeed, derivesVelocity)
                phone.givesAccuracy = givesAccuracy
                return RecoveryScenario(kind: kind, phone: phone)
            }
        }
    }

    package func score(seeds: ClosedRange<UInt64>) -> RecoveryScore {
        var score = RecoveryScore()
        for seed in seeds {
            let drive = SimulatedDrive(
                seed: seed, seconds: Self.driveSeconds, style: kind == .braking ? .stopAndGo : .town)
            let excursions = excursions(on: drive, seed: seed)
            let trace = phone.trace(of: drive, with: excursions, seed: seed)
            score.add(trace, excursions)
        }
        return score
    }

    /// Returns the excursions of a drive; they are the same for every phone.
    private func excursions(on drive: SimulatedDrive, seed: UInt64) -> [Excursion] {
        var random = RandomSource(seed: seed, index: 0, purpose: 2)
        var excursions: [Excursion] = []
        var earliest = Self.restSeconds
        for end in ends(on: drive, random: &random) {
            let fixes = Double(1 + random.index(below: 2))
            let drifting = random.uniform(in: 10...30)
            let (meters, angle) = (random.uniform(in: 20...80), random.uniform(in: 0...(2 * .pi)))
            let length = kind == .outliers ? fixes : drifting
            guard end - length >= earliest, end + Self.restSeconds <= Self.driveSeconds else { continue }
            // The end is between two fixes, so that rounding does not change the number of wrong fixes.
            let endSeconds = end.rounded(.down) - 0.5
            excursions.append(
                Excursion(
                    isDrift: kind != .outliers, beginSeconds: endSeconds - length, endSeconds: endSeconds,
                    east: meters * sin(angle), north: meters * cos(angle)))
            earliest = end + Self.restSeconds
        }
        return excursions
    }

    /// Returns candidate end times of excursions, in seconds.
    private func ends(on drive: SimulatedDrive, random: inout RandomSource) -> [Double] {
        let steps = drive.steps
        let tick = SimulatedDrive.tickSeconds
        switch kind {
        case .outliers: return stride(from: 30, to: Self.driveSeconds, by: 25).map { $0 + random.uniform(in: 0...5) }
        case .moving:
            // The vehicle drives at 5 m/s or more for ten seconds.
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
