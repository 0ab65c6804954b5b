import Domain
import Foundation
import Recordings
import Simulation
import Support

/// A simulated phone that follows a simulated drive.
package struct SimulatedReceiver: Sendable {
    /// Model of the position errors.
    package enum Noise: String, Sendable, CaseIterable {
        /// Independent from fix to fix; overstates the gain of any filter.
        case white
        /// A first-order autoregressive part plus white noise.
        case correlated
        /// Noise of recorded phones; see ``ReceiverNoise``.
        case recorded
        /// Reflections between high buildings; see ``CanyonNoise``.
        case canyon
        /// A phone whose chip filters the positions: little noise from fix to fix, and errors that last.
        case filtered
    }

    package var noise = Noise.correlated
    /// Standard deviation per axis in metres; not used by `canyon` and `filtered`.
    package var sigmaMeters = 5.0
    /// Share of the variance that is correlated, and its time constant in seconds.
    package var correlatedShare = 0.7
    package var correlationSeconds = 40.0
    /// Stated accuracy as a share of the true 68 % radius.
    package var statedShare = 1.0
    package var intervalSeconds = 1.0
    package var givesSpeed = true
    package var givesAccuracy = true
    /// Whether the velocity is derived from the track and follows a drift, instead of a Doppler measurement.
    package var derivesVelocity = false
    /// Share of fixes with an additional error of 50 to 300 m.
    package var outlierShare = 0.0
    /// Share of fixes that are lost.
    package var lossShare = 0.0
    package var origin = Coordinate(latitude: 48.1374, longitude: 11.5755)

    /// Returns the fixes along a drive with their true positions; the same seed gives the same fixes.
    package func trace(of drive: SimulatedDrive, with excursions: [Excursion] = [], seed: UInt64) -> RecordedTrace {
        var random = RandomSource(seed: seed, index: 0, purpose: noise == .filtered ? 3 : 1)
        var error = ReceiverError(receiver: self, random: &random)
        let plane = TangentPlane(origin: origin)
        var trace = RecordedTrace(id: "simulated-\(seed)", driverID: "simulated")
        for step in drive.steps(every: intervalSeconds) {
            let sample = error.sample(at: step, random: &random)
            let fix = fix(at: step, sample, excursions, on: plane, random: &random)
            if noise != .filtered, random.chance(lossShare) || sample.isOutage { continue }
            trace.fixes.append(fix)
            trace.truth.append(plane.coordinate(of: TangentPlane.Point(east: step.east, north: step.north)))
            trace.isSpoofed.append(false)
        }
        return trace
    }

    private func fix(
        at step: SimulatedDrive.Step, _ sample: PositionSample, _ excursions: [Excursion], on plane: TangentPlane,
        random: inout RandomSource
    ) -> Fix {
        var point = TangentPlane.Point(east: step.east + sample.east, north: step.north + sample.north)
        if outlierShare > 0, random.chance(outlierShare) {
            let (meters, angle) = (random.uniform(in: 50...300), random.uniform(in: 0...(2 * .pi)))
            point.east += meters * sin(angle)
            point.north += meters * cos(angle)
        }
        for excursion in excursions {
            point.east += excursion.east * excursion.share(atSeconds: step.seconds)
            point.north += excursion.north * excursion.share(atSeconds: step.seconds)
        }
        var fix = Fix(coordinate: plane.coordinate(of: point))
        fix.deviceAt = Timestamp(milliseconds: 1_700_000_000_000 + Int64((step.seconds * 1000).rounded()))
        fix.contentHash = random.next()
        if givesAccuracy { fix.accuracyMeters = sample.accuracyMeters }
        if givesSpeed { addVelocity(to: &fix, step, sample.velocityNoise, excursions, random: &random) }
        return fix
    }

    private func addVelocity(
        to fix: inout Fix, _ step: SimulatedDrive.Step, _ noiseMetersPerSecond: Double, _ excursions: [Excursion],
        random: inout RandomSource
    ) {
        let isStanding = step.speedMetersPerSecond < 0.05
        if noise == .filtered, isStanding {
            fix.speedMetersPerSecond = 0
            return
        }
        let angle = step.headingDegrees * .pi / 180
        var east = step.speedMetersPerSecond * sin(angle) + noiseMetersPerSecond * random.normal()
        var north = step.speedMetersPerSecond * cos(angle) + noiseMetersPerSecond * random.normal()
        if derivesVelocity {
            for excursion in excursions {
                east += excursion.east * excursion.sharePerSecond(atSeconds: step.seconds)
                north += excursion.north * excursion.sharePerSecond(atSeconds: step.seconds)
            }
        }
        // The Doppler speed of a standing receiver has far less noise than the usual 0.5 m/s.
        let speed = (east * east + north * north).squareRoot()
        fix.speedMetersPerSecond = isStanding ? abs(0.1 * random.normal()) : speed
        fix.headingDegrees = Geodesy.normalizedHeading(atan2(east, north) * 180 / .pi)
    }
}

/// Error of one fix and the values that the receiver states.
private struct PositionSample {
    var east: Double
    var north: Double
    var accuracyMeters: Double
    /// Standard deviation per axis of the reported velocity, in m/s.
    var velocityNoise = 0.5
    /// Whether the receiver has no fix.
    var isOutage = false
}

/// Error of a receiver over time.
private struct ReceiverError {
    /// Median white noise per axis of recorded phones, in metres.
    private static let recordedWhiteMeters = 0.15
    /// Velocity noise per axis of recorded phones against survey-grade truth, in m/s.
    private static let recordedVelocityNoise = 0.09
    /// Best accuracy that recorded phones state, as a standard deviation per axis in metres.
    private static let leastStatedMeters = 2.0
    /// White and lasting error per axis of phones that filter, in metres: recorded phones have 0.2 to 0.36 m of white
    /// noise, and half of all recorded fixes are within 2.1 m (GSDC 2021).
    private static let filteredMeters = (white: 0.3, slow: 1.5)
    /// Accuracy that a filtering phone always states, in metres, even during a drift.
    private static let filteredStatedMeters = 4.0
    private static let filteredVelocityNoise = 0.3

    private let receiver: SimulatedReceiver
    private var slowEast: Double
    private var slowNorth: Double
    private var seconds = 0.0
    private var canyon: CanyonNoise?
    private var recorded: ReceiverNoise?

    init(receiver: SimulatedReceiver, random: inout RandomSource) {
        self.receiver = receiver
        slowEast = random.normal()
        slowNorth = random.normal()
        switch receiver.noise {
        case .filtered: seconds = -receiver.intervalSeconds
        // All other models draw the values of a canyon, so that they share one sequence of random numbers.
        default: canyon = CanyonNoise(at: 0, between: .towers, random: &random)
        }
        if receiver.noise == .recorded {
            recorded = ReceiverNoise(whiteMeters: Self.recordedWhiteMeters, random: &random)
        }
    }

    mutating func sample(at step: SimulatedDrive.Step, random: inout RandomSource) -> PositionSample {
        let sigma = receiver.sigmaMeters
        if receiver.noise == .canyon,
            let sample = canyon?.sample(
                at: step.seconds, isStanding: step.speedMetersPerSecond < 0.05, random: &random)
        {
            return PositionSample(
                east: sample.eastMeters, north: sample.northMeters, accuracyMeters: sample.accuracyMeters,
                velocityNoise: sample.velocitySigmaMetersPerSecond, isOutage: sample.isOutage)
        }
        if let error = recorded?.next(at: step.seconds, slowMeters: sigma, random: &random) {
            return PositionSample(
                east: error.east, north: error.north, accuracyMeters: 1.51 * max(Self.leastStatedMeters, sigma),
                velocityNoise: Self.recordedVelocityNoise)
        }
        let decay = exp(-(step.seconds - seconds) / receiver.correlationSeconds)
        seconds = step.seconds
        let fresh = (1 - decay * decay).squareRoot()
        slowEast = decay * slowEast + fresh * random.normal()
        slowNorth = decay * slowNorth + fresh * random.normal()
        let isFiltered = receiver.noise == .filtered
        let correlated = (
            white: sigma * (1 - receiver.correlatedShare).squareRoot(),
            slow: sigma * receiver.correlatedShare.squareRoot()
        )
        let size = isFiltered ? Self.filteredMeters : receiver.noise == .white ? (white: sigma, slow: 0) : correlated
        return PositionSample(
            east: size.slow * slowEast + size.white * random.normal(),
            north: size.slow * slowNorth + size.white * random.normal(),
            accuracyMeters: isFiltered ? Self.filteredStatedMeters : 1.51 * sigma * receiver.statedShare,
            velocityNoise: isFiltered ? Self.filteredVelocityNoise : 0.5)
    }
}
