import Glibc
import Model
import Support

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
    /// Standard deviation along one axis of the noise that a raw receiver has at each fix anew, in metres.
    ///
    /// Receivers of one frequency measure distances to satellites with a noise of 1 to 3 m.
    package var rawWhiteMeters = 1.1...3.4

    /// The surroundings at a point: a canyon where the error of a phone grows by over a tenth of ``canyonFactor``.
    package func surroundings(at point: TangentPlane.Point) -> Surroundings {
        let radius = (point.east * point.east + point.north * point.north).squareRoot()
        return radius < 1.5 * canyonMeters ? .streetCanyon : .openRoad
    }

    /// The first sentence of what is wrong with these settings; `nil` when they fit together.
    package var problem: String? {
        if axisSigmaMeters.lowerBound < 0 || axisSigmaMeters.upperBound > 100 {
            return "The noise of a receiver lies between 0 and 100 metres."
        }
        if !(0...0.5).contains(heavyTailShare) { return "The share of heavy tails lies between 0 and 0.5." }
        if rawWhiteMeters.lowerBound < 0 || rawWhiteMeters.upperBound > 100 {
            return "The white noise of a raw receiver lies between 0 and 100 metres."
        }
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
        /// The accuracy that a receiver states without knowing its error; `nil` where it estimates it.
        var statedAccuracyMeters: Double?
        /// Standard deviation per axis of the reported velocity, in m/s.
        var velocitySigmaMetersPerSecond = PositioningNoise.usualVelocitySigma
    }

    /// Of receivers outside canyons, in m/s per axis.
    static let usualVelocitySigma = 0.3

    let receiver: ReceiverKind
    private let configuration: PositioningNoiseConfiguration
    private let axisSigmaMeters: Double
    private var noise: ReceiverNoise
    /// Reflections that a raw receiver shows while it is between high buildings.
    private var canyon: CanyonNoise?

    init(
        configuration: PositioningNoiseConfiguration, receiver: ReceiverKind = .phone, random: inout RandomSource
    ) {
        self.configuration = configuration
        self.receiver = receiver
        axisSigmaMeters = random.uniform(in: configuration.axisSigmaMeters)
        switch receiver {
        case .phone: noise = ReceiverNoise(random: &random)
        case .raw:
            let white = random.uniform(in: configuration.rawWhiteMeters)
            noise = ReceiverNoise(whiteMeters: white, random: &random)
        }
    }

    /// Draws the error of a raw receiver between high buildings; `nil` where it has no fix.
    mutating func reflection(
        at time: Timestamp, isStanding: Bool, random: inout RandomSource
    ) -> Sample? {
        let seconds = Double(time.milliseconds) / 1000
        var canyon = canyon ?? CanyonNoise(at: seconds, between: .townHouses, random: &random)
        let sample = canyon.sample(at: seconds, isStanding: isStanding, random: &random)
        self.canyon = canyon
        guard !sample.isOutage else { return nil }
        return Sample(
            eastMeters: sample.eastMeters, northMeters: sample.northMeters, axisSigmaMeters: axisSigmaMeters,
            statedAccuracyMeters: sample.accuracyMeters,
            velocitySigmaMetersPerSecond: sample.velocitySigmaMetersPerSecond)
    }

    /// Ends the reflections of a receiver that has left the high buildings.
    mutating func leaveCanyon() { canyon = nil }

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
