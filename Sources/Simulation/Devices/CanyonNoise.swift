import Foundation

/// Simulated errors of single-point positions between high buildings.
///
/// Each set of visible satellites has its own reflections, so that the error is constant for some seconds and then
/// jumps. The stated accuracy does not include the error, the Doppler speed is mostly accurate, and outages last
/// some seconds. The figures are rough estimates instead of fits to recordings, so that they can validate a filter that
/// was fitted to recordings.
package struct CanyonNoise: Sendable {
    /// Error of a fix and the values that the receiver states.
    package struct Sample: Sendable {
        package var eastMeters: Double
        package var northMeters: Double
        /// Stated accuracy, independent of the error.
        package var accuracyMeters: Double
        /// Standard deviation per axis of the reported velocity, in m/s.
        package var velocitySigmaMetersPerSecond: Double
        /// Whether the receiver has no fix.
        package var isOutage: Bool
    }

    /// Buildings, described by the shifts of positions that their reflections cause.
    package struct Buildings: Sendable, Equatable {
        /// Median shift of a reflection, in metres.
        package var medianMeters: Double
        /// Largest shift, in metres.
        package var maximumMeters: Double

        /// Towers, with reflections from several streets away.
        package static let towers = Buildings(medianMeters: 22, maximumMeters: 120)
        /// Closed rows of houses: a signal that crosses a 20 m street once more travels 20 to 40 m farther.
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

    /// Starts at `seconds` and draws the stated accuracy from the range of recorded receivers.
    package init(at seconds: Double, between buildings: Buildings, random: inout RandomSource) {
        self.buildings = buildings
        accuracyMeters = random.uniform(in: 3.2...6)
        self.seconds = seconds
        biasEnds = seconds
        outageEnds = seconds - 1
    }

    /// Draws the error at `seconds`, which must not decrease.
    package mutating func sample(at seconds: Double, isStanding: Bool, random: inout RandomSource) -> Sample {
        let elapsed = seconds - self.seconds
        self.seconds = seconds
        if seconds >= biasEnds { beginSet(isStanding: isStanding, random: &random) }
        let size = (biasEast * biasEast + biasNorth * biasNorth).squareRoot()
        let jitter = 2 + 0.2 * size
        let decay = exp(-elapsed / 3)
        let fresh = (1 - decay * decay).squareRoot() * jitter
        fastEast = decay * fastEast + fresh * random.normal()
        fastNorth = decay * fastNorth + fresh * random.normal()
        if random.chance(elapsed / 45) { outageEnds = seconds + random.exponential(mean: 4) }
        let isReflected = size > 15
        let hasBadDoppler = isReflected && random.chance(0.06)
        return Sample(
            eastMeters: biasEast + fastEast + 1.5 * random.normal(),
            northMeters: biasNorth + fastNorth + 1.5 * random.normal(),
            accuracyMeters: accuracyMeters * random.uniform(in: 0.95...1.05),
            velocitySigmaMetersPerSecond: hasBadDoppler ? 2 : isReflected ? 0.4 : 0.15,
            isOutage: seconds < outageEnds)
    }

    /// Starts the next set of visible satellites, with a small error or a reflection.
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
