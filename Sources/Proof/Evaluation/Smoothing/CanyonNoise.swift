import Foundation
import Simulation

/// The errors of single point positions between high buildings.
///
/// Satellites come and go behind the walls, and each set of them has its own reflections: the error holds for some
/// seconds, then leaps. The stated accuracy knows nothing of it, while the Doppler speed stays good for most of the
/// time; and for seconds there is no fix at all. The figures are rough ones of our own choice, so that a filter that is
/// fitted on a recorded canyon can be checked on another.
struct CanyonNoise {
    private var biasEast = 0.0
    private var biasNorth = 0.0
    private var biasEnds = 0.0
    private var fastEast = 0.0
    private var fastNorth = 0.0
    private var outageEnds = -1.0
    private var seconds = 0.0
    private let accuracyMeters: Double

    init(random: inout RandomSource) { accuracyMeters = random.uniform(in: 3.2...6) }

    mutating func sample(at step: SimulatedDrive.Step, random: inout RandomSource) -> PositionSample {
        let passed = step.seconds - seconds
        seconds = step.seconds
        let isStanding = step.speedMetersPerSecond < 0.05
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
        return PositionSample(
            east: biasEast + fastEast + 1.5 * random.normal(), north: biasNorth + fastNorth + 1.5 * random.normal(),
            accuracyMeters: accuracyMeters * random.uniform(in: 0.95...1.05),
            velocityNoise: hasBadDoppler ? 2 : isReflected ? 0.4 : 0.15, isOutage: seconds < outageEnds)
    }

    /// Another set of satellites: a small error, or a reflection of any length.
    private mutating func beginSet(isStanding: Bool, random: inout RandomSource) {
        biasEnds = seconds + random.exponential(mean: isStanding ? 20 : 6)
        if random.chance(0.55) {
            (biasEast, biasNorth) = (3 * random.normal(), 3 * random.normal())
        } else {
            let meters = min(120, random.logNormal(median: 22, spread: 0.8))
            let angle = random.uniform(in: 0...(2 * .pi))
            (biasEast, biasNorth) = (meters * sin(angle), meters * cos(angle))
        }
    }
}
