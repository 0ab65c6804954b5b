import Glibc
import Tracking

/// How wrong a simulated receiver is.
package struct PositioningNoiseConfiguration: Sendable, Equatable {
    /// Standard deviation of the error along one axis under open sky, in metres; each phone has its own in this range.
    ///
    /// Recorded phones have 0.6 to 1.4 m on open roads, and more in towns; see ``ReceiverNoise``.
    package var axisSigmaMeters = 0.8...4.0
    /// The share of fixes with a heavy-tailed error on top (Student's t with 3 degrees of freedom, at most 60 m).
    package var heavyTailShare = 0.004
    /// By how much the error grows between the high buildings of the centre.
    package var canyonFactor = 1.0
    /// The radius of that centre, in metres.
    package var canyonMeters = 1200.0

    /// The first sentence of what is wrong with these settings; `nil` when they fit together.
    package var problem: String? {
        if axisSigmaMeters.lowerBound < 0 || axisSigmaMeters.upperBound > 100 {
            return "The noise of a receiver lies between 0 and 100 metres."
        }
        if !(0...0.5).contains(heavyTailShare) { return "The share of heavy tails lies between 0 and 0.5." }
        if canyonFactor < 0 || canyonMeters <= 0 { return "The canyon factor is not negative, its radius positive." }
        return nil
    }
}

/// The error of one receiver as it goes along, between the houses and in tunnels, with rare outliers.
struct PositioningNoise: Sendable {
    /// One fix's error, and what an honest receiver says about it.
    struct Sample {
        var eastMeters: Double
        var northMeters: Double
        /// The standard deviation along one axis that the error was drawn with.
        var axisSigmaMeters: Double
    }

    private let configuration: PositioningNoiseConfiguration
    private let axisSigmaMeters: Double
    private var noise: ReceiverNoise

    init(configuration: PositioningNoiseConfiguration, random: inout RandomSource) {
        self.configuration = configuration
        axisSigmaMeters = random.uniform(in: configuration.axisSigmaMeters)
        noise = ReceiverNoise(random: &random)
    }

    /// The error at `point`; `secondsWithoutSky` is the time since the sky was last seen, and the error grows with it.
    mutating func sample(
        at point: TangentPlane.Point, time: Timestamp, secondsWithoutSky: Double, random: inout RandomSource
    ) -> Sample {
        let radius = (point.east * point.east + point.north * point.north).squareRoot() / configuration.canyonMeters
        var sigma = axisSigmaMeters * (1 + configuration.canyonFactor * exp(-radius * radius))
        sigma = min(25, sigma * (1 + secondsWithoutSky / 15))
        let error = noise.next(at: Double(time.milliseconds) / 1000, slowMeters: sigma, random: &random)
        sigma = (sigma * sigma + noise.whiteMeters * noise.whiteMeters).squareRoot()
        var sample = Sample(eastMeters: error.east, northMeters: error.north, axisSigmaMeters: sigma)
        if random.chance(configuration.heavyTailShare) {
            let tail = 2.5 * sigma
            sample.eastMeters += max(-60, min(60, tail * random.studentT(degrees: 3)))
            sample.northMeters += max(-60, min(60, tail * random.studentT(degrees: 3)))
            sample.axisSigmaMeters = sigma * 1.6
        }
        return sample
    }
}
