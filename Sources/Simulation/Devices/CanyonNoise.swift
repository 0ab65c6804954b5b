import Foundation

/// The errors of single point positions between high buildings.
///
/// Satellites come and go behind the walls, and each set of them has its own reflections: the error holds for some
/// seconds, then leaps. The stated accuracy knows nothing of it, while the Doppler speed stays good for most of the
/// time; and for seconds there is no fix at all. The figures are rough ones of our own choice, so that a filter that is
/// fitted on a recorded canyon can be checked on another.
package struct CanyonNoise: Sendable {
    /// One fix's error, and what the receiver states about it.
    package struct Sample: Sendable {
        package var eastMeters: Double
        package var northMeters: Double
        /// The accuracy stated, whatever the error.
        package var accuracyMeters: Double
        /// Standard deviation per axis of the reported velocity, in m/s.
        package var velocitySigmaMetersPerSecond: Double
        /// Whether the receiver has no fix at all.
        package var isOutage: Bool
    }

    /// Describes how far reflections shift positions.
    package struct Buildings: Sendable, Equatable {
        /// Median shift of a reflection, in metres.
        package var medianMeters: Double
        /// Largest shift, in metres.
        package var maximumMeters: Double

        /// Towers, whose reflections come from streets away.
        package static let towers = Buildings(medianMeters: 22, maximumMeters: 120)
        /// Closed rows of houses: a signal that crosses a street of 20 m once more is 20 to 40 m late.
        package static let townHouses = Buildings(medianMeters: 12, maximumMeters: 40)
    }

    private let buildings: Buildings
    private var biasEast = 0.0
    private var biasNorth = 0.0
    private var biasEnds: Double
    private var fastEast = 0.0
    private var fastNorth = 0.0
    private var outageEnds: Double
    private var seconds: Double
    private let accuracyMeters: Double

    /// Begins at `seconds`; the device's stated accuracy is drawn from what recorded receivers state.
    package init(at seconds: Double, between buildings: Buildings, random: inout RandomSource) {
        self.buildings = buildings
        accuracyMeters = random.uniform(in: 3.2...6)
        self.seconds = seconds
        biasEnds = seconds
        outageEnds = seconds - 1
    }

    /// Draws the error at `seconds`, which is not before that of the last call.
    package mutating func sample(at seconds: Double, isStanding: Bool, random: inout RandomSource) -> Sample {
        let passed = seconds - self.seconds
        self.seconds = seconds
        if seconds >= biasEnds { beginSet(isStanding: isStanding, random: &random) }
        let size = (biasEast * biasEast + biasNorth * biasNorth).squareRoot()
        let jitter = 2 + 0.2 * size
        let keep = exp(-passed / 3)
        let fresh = (1 - keep * keep).squareRoot() * jitter
        fastEast = keep * fastEast + fresh * random.normal()
        fastNorth = keep * fastNorth + fresh * random.normal()
        if random.chance(passed / 45) { outageEnds = seconds + random.exponential(mean: 4) }
        let isReflected = size > 15
        let hasBadDoppler = isReflected && random.chance(0.06)
        return Sample(
            eastMeters: biasEast + fastEast + 1.5 * random.normal(),
            northMeters: biasNorth + fastNorth + 1.5 * random.normal(),
            accuracyMeters: accuracyMeters * random.uniform(in: 0.95...1.05),
            velocitySigmaMetersPerSecond: hasBadDoppler ? 2 : isReflected ? 0.4 : 0.15,
            isOutage: seconds < outageEnds)
    }

    /// Another set of satellites: a small error, or a reflection of any length.
    private mutating func beginSet(isStanding: Bool, random: inout RandomSource) {
        biasEnds = seconds + random.exponential(mean: isStanding ? 20 : 6)
        if random.chance(0.55) {
            (biasEast, biasNorth) = (3 * random.normal(), 3 * random.normal())
        } else {
            let meters = min(
                buildings.maximumMeters, random.logNormal(median: buildings.medianMeters, spread: 0.8))
            let angle = random.uniform(in: 0...(2 * .pi))
            (biasEast, biasNorth) = (meters * sin(angle), meters * cos(angle))
        }
    }
}
