import Domain
import Glibc
import Support

/// Parameters of simulated receivers' errors.
package struct PositioningNoiseConfiguration: Sendable, Equatable {
    /// Range of the phones' standard deviations per axis with clear reception, in metres.
    ///
    /// Recorded phones have 0.6 to 1.4 m on open roads, and more in towns; see ``ReceiverNoise``.
    package var axisSigmaMeters = 0.8...4.0
    /// Share of fixes with an added heavy-tailed error (Student's t with 3 degrees of freedom, up to 60 m per axis).
    package var heavyTailShare = 0.004
    /// Relative growth of a phone's error between the high buildings of the centre: 1 doubles it.
    package var canyonFactor = 1.0
    /// Radius of the centre, in metres.
    package var canyonMeters = 1200.0
    /// Range of the raw receivers' independent noise, as a standard deviation per axis in metres.
    ///
    /// Single-frequency receivers measure ranges to satellites with a noise of 1 to 3 m.
    package var rawWhiteMeters = 1.1...3.4

    /// Returns ``RoadEnvironment/streetCanyon`` where a phone's error grows by more than a tenth of ``canyonFactor``.
    package func environment(at point: TangentPlane.Point) -> RoadEnvironment {
        let radius = (point.east * point.east + point.north * point.north).squareRoot()
        return radius < 1.5 * canyonMeters ? .streetCanyon : .openRoad
    }
}

/// Error of a moving receiver, including canyons, tunnels and rare outliers.
struct PositioningNoise: Sendable {
    /// Error of a fix and the values that an honest receiver states.
    struct Sample {
        var eastMeters: Double
        var northMeters: Double
        /// Standard deviation per axis of the error's distribution.
        var axisSigmaMeters: Double
        /// Accuracy stated independently of the error; `nil` if derived from ``axisSigmaMeters``.
        var statedAccuracyMeters: Double?
        /// Standard deviation per axis of the reported velocity, in m/s.
        var velocitySigmaMetersPerSecond = PositioningNoise.usualVelocitySigma
    }

    /// Velocity noise outside canyons, in m/s per axis.
    static let usualVelocitySigma = 0.3

    let receiver: ReceiverKind
    private let configuration: PositioningNoiseConfiguration
    private let axisSigmaMeters: Double
    private var noise: ReceiverNoise
    /// Reflections of a raw receiver between high buildings; `nil` elsewhere.
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

    /// Draws the error of a raw receiver between high buildings; `nil` if the receiver has no fix.
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

    /// Ends the reflections after leaving the high buildings.
    mutating func leaveCanyon() { canyon = nil }

    /// Draws the error at `point`; it grows with the time since the last satellite reception.
    mutating func sample(
        at point: TangentPlane.Point, time: Timestamp, secondsWithoutReception: Double, random: inout RandomSource
    ) -> Sample {
        let radius = (point.east * point.east + point.north * point.north).squareRoot() / configuration.canyonMeters
        var sigma = axisSigmaMeters * (1 + configuration.canyonFactor * exp(-radius * radius))
        sigma = min(25, sigma * (1 + secondsWithoutReception / 15))
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
