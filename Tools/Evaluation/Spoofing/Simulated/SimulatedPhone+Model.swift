import Domain
import Foundation
import Simulation

extension SimulatedPhone {
    /// What one model of phone, with its app and its network, is like.
    struct Model {
        let intervalSeconds: Int
        /// Of the slow part of the error along one axis, under open sky; recorded phones have 0.6 to 1.4 m on open
        /// roads.
        let sigmaMeters: Double
        let lossShare: Double
        /// Stamps are early or late by up to this; 0 for receivers that stamp whole seconds, which are many.
        let jitterSeconds: Double
        let hasAccuracy: Bool
        let hasAccuracyLevels: Bool
        let hasSpeed: Bool
        let hasHeading: Bool
        let hasAltitude: Bool
        let hasSequence: Bool
        /// How much of the error after a cold start the accuracy tells.
        let knownShareOfBias: Double

        /// Phones seen in the wild report as few as eight different accuracies.
        private static let levels = [3.0, 3.9, 4.8, 6.0, 8.0, 12.0, 20.0, 40.0]

        /// No phone tells a better accuracy than that of such an error, about 3 m (a60_phones, envirocar_de).
        static let leastToldSigmaMeters = 2.0

        init(random: inout RandomSource) {
            intervalSeconds = [1, 1, 2, 4][random.index(below: 4)]
            sigmaMeters = random.uniform(in: 0.6...4.0)
            lossShare = random.chance(0.5) ? 0.2 : 0.02
            jitterSeconds = [0, 0.02, 0.5][random.index(below: 3)]
            hasAccuracy = random.chance(0.9)
            hasAccuracyLevels = random.chance(0.5)
            hasSpeed = random.chance(0.85)
            hasHeading = hasSpeed && random.chance(0.85)
            hasAltitude = random.chance(0.85)
            hasSequence = random.chance(0.75)
            knownShareOfBias = random.uniform(in: 0...1)
        }

        /// Sets the fields beside the position.
        func fill(_ fix: inout Fix, _ place: Place, radius: Double, error: Double, random: inout RandomSource) {
            if hasAccuracy {
                let level = Self.levels.first { $0 >= radius } ?? radius
                fix.accuracyMeters = hasAccuracyLevels ? level : (radius * 10).rounded() / 10
            }
            let measured = max(0, place.speed + 0.3 * random.normal())
            let speed = place.speed < 0.3 ? max(0, measured - 0.3) : measured
            if hasSpeed { fix.speedMetersPerSecond = (speed * 100).rounded() / 100 }
            if hasHeading, speed > 0.5 {
                let spread = speed > 3 ? 3 : min(40, 9 / speed)
                fix.headingDegrees = Geodesy.normalizedHeading(
                    ((place.heading + spread * random.normal()) * 10).rounded() / 10)
            }
            if hasAltitude {
                let terrain = 40 + 15 * sin(place.point.east / 2100) + 10 * cos(place.point.north / 1700)
                let wrong = max(-60, min(60, 0.6 * error)) + random.normal()
                fix.altitudeMeters = ((terrain + wrong) * 10).rounded() / 10
            }
        }
    }
}
