import Domain
import Foundation
import Recordings
import Simulation
import Support

/// How a simulated phone sees a drive.
package struct SimulatedReceiver: Sendable {
    /// How the errors of the positions behave.
    package enum Noise: String, Sendable, CaseIterable {
        /// Independent from fix to fix: flatters every filter.
        case white
        /// Part of the variance first-order autoregressive, the rest white.
        case correlated
        /// That of recorded phones; see ``ReceiverNoise``.
        case recorded
        /// Reflections between high buildings; see ``CanyonNoise``.
        case canyon
    }

    package var noise = Noise.correlated
    /// Standard deviation per axis, in metres; a canyon has its own.
    package var sigmaMeters = 5.0
    /// Share of the variance that is correlated, and its time constant in seconds: the project's noise study.
    package var correlatedShare = 0.7
    package var correlationSeconds = 40.0
    /// The accuracy stated, as a share of what would be honest.
    package var statedShare = 1.0
    package var intervalSeconds = 1.0
    package var givesSpeed = true
    package var givesAccuracy = true
    /// Share of fixes that are 50 to 300 m off.
    package var outlierShare = 0.0
    /// Share of fixes that never arrive.
    package var lossShare = 0.0
    package var origin = Coordinate(latitude: 48.1374, longitude: 11.5755)

    package init() {}

    /// The fixes along a drive with their truth; the same seed gives the same ones.
    package func trace(of drive: SimulatedDrive, seed: UInt64) -> RecordedTrace {
        var random = RandomSource(seed: seed, index: 0, purpose: 1)
        var error = AxisErrors(receiver: self, random: &random)
        let plane = TangentPlane(origin: origin)
        var trace = RecordedTrace(id: "simulated-\(seed)", driverID: "simulated")
        for step in drive.steps(every: intervalSeconds) {
            let sample = error.sample(at: step, random: &random)
            let report = report(step, sample, on: plane, random: &random)
            let isLost = random.chance(lossShare) || sample.isOutage
            guard !isLost else { continue }
            trace.fixes.append(report)
            trace.truth.append(plane.coordinate(of: TangentPlane.Point(east: step.east, north: step.north)))
            trace.isSpoofed.append(false)
        }
        return trace
    }

    private func report(
        _ step: SimulatedDrive.Step, _ sample: PositionSample, on plane: TangentPlane, random: inout RandomSource
    ) -> Fix {
        var point = TangentPlane.Point(east: step.east + sample.east, north: step.north + sample.north)
        if outlierShare > 0, random.chance(outlierShare) {
            let (meters, angle) = (random.uniform(in: 50...300), random.uniform(in: 0...(2 * .pi)))
            point.east += meters * sin(angle)
            point.north += meters * cos(angle)
        }
        var fix = Fix(coordinate: plane.coordinate(of: point))
        fix.deviceAt = Timestamp(milliseconds: 1_700_000_000_000 + Int64((step.seconds * 1000).rounded()))
        fix.contentHash = random.next()
        if givesAccuracy { fix.accuracyMeters = sample.accuracyMeters }
        guard givesSpeed else { return fix }
        let angle = step.headingDegrees * .pi / 180
        let eastward = step.speedMetersPerSecond * sin(angle) + sample.velocityNoise * random.normal()
        let northward = step.speedMetersPerSecond * cos(angle) + sample.velocityNoise * random.normal()
        let speed = (eastward * eastward + northward * northward).squareRoot()
        // A standing receiver reports the noise of its Doppler measurement, which is far below half a metre.
        fix.speedMetersPerSecond = step.speedMetersPerSecond < 0.05 ? abs(0.1 * random.normal()) : speed
        fix.headingDegrees = Geodesy.normalizedHeading(atan2(eastward, northward) * 180 / .pi)
        return fix
    }
}

/// One fix's error, and what the receiver makes of it.
struct PositionSample {
    var east: Double
    var north: Double
    var accuracyMeters: Double
    /// Standard deviation per axis of the reported velocity, m/s.
    var velocityNoise = 0.5
    /// Whether the receiver has no fix at all.
    var isOutage = false
}

extension PositionSample {
    fileprivate init(_ sample: CanyonNoise.Sample) {
        self.init(
            east: sample.eastMeters, north: sample.northMeters, accuracyMeters: sample.accuracyMeters,
            velocityNoise: sample.velocitySigmaMetersPerSecond, isOutage: sample.isOutage)
    }
}

/// The error of a receiver as it goes along.
private struct AxisErrors {
    let receiver: SimulatedReceiver
    private var slowEast: Double
    private var slowNorth: Double
    private var seconds = 0.0
    private var canyon: CanyonNoise
    /// Of receivers like recorded ones only, so that the others draw the same errors as without it.
    private var recorded: ReceiverNoise?

    init(receiver: SimulatedReceiver, random: inout RandomSource) {
        self.receiver = receiver
        slowEast = random.normal()
        slowNorth = random.normal()
        canyon = CanyonNoise(at: 0, between: .towers, random: &random)
        guard receiver.noise == .recorded else { return }
        recorded = ReceiverNoise(whiteMeters: Self.recordedWhiteMeters, random: &random)
    }

    mutating func sample(at step: SimulatedDrive.Step, random: inout RandomSource) -> PositionSample {
        if receiver.noise == .canyon {
            let isStanding = step.speedMetersPerSecond < 0.05
            return PositionSample(canyon.sample(at: step.seconds, isStanding: isStanding, random: &random))
        }
        if let error = recorded?.next(at: step.seconds, slowMeters: receiver.sigmaMeters, random: &random) {
            return recordedSample(error)
        }
        let sigma = receiver.sigmaMeters
        let keep = exp(-(step.seconds - seconds) / receiver.correlationSeconds)
        seconds = step.seconds
        let fresh = (1 - keep * keep).squareRoot()
        slowEast = keep * slowEast + fresh * random.normal()
        slowNorth = keep * slowNorth + fresh * random.normal()
        let slow = receiver.noise == .white ? 0 : sigma * receiver.correlatedShare.squareRoot()
        let white = receiver.noise == .white ? sigma : sigma * (1 - receiver.correlatedShare).squareRoot()
        return PositionSample(
            east: slow * slowEast + white * random.normal(), north: slow * slowNorth + white * random.normal(),
            accuracyMeters: 1.51 * sigma * receiver.statedShare)
    }

    /// The white part of half of the recorded phones is smaller, in metres.
    private static let recordedWhiteMeters = 0.15
    /// Noise of recorded phones' velocity per axis, in m/s, against survey-grade truth.
    private static let recordedVelocityNoise = 0.09
    /// The accuracy they tell at least, as a standard deviation per axis, in metres.
    private static let leastToldMeters = 2.0

    private func recordedSample(_ error: TangentPlane.Point) -> PositionSample {
        PositionSample(
            east: error.east, north: error.north,
            accuracyMeters: 1.51 * max(Self.leastToldMeters, receiver.sigmaMeters),
            velocityNoise: Self.recordedVelocityNoise)
    }
}
