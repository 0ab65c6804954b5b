import Domain
import Foundation
import Simulation
import Support

/// A phone in a car, with its receiver and network.
struct SimulatedPhone {
    /// State of the car.
    struct CarState {
        var plane: TangentPlane
        var point: TangentPlane.Point
        var speed: Double
        var heading: Double
    }

    private let model: Model
    private let rounding: CoordinateRounding
    private var noise: ReceiverNoise
    /// Effect of buildings on the noise, in standard deviations of its logarithm, with a time constant of a minute.
    private var surroundings = 0.0
    /// Seconds in tunnels, which have no measurement, in order; and seconds without network access.
    private let tunnels: [Range<Int>]
    private let offline: Range<Int>
    private let coldStarts: [Int]
    private var bias: (point: TangentPlane.Point, since: Int)?
    private var sequence: Int64 = 0
    private var latest: Timestamp?
    private var stored: [Fix] = []

    init(rounding: CoordinateRounding, random: inout RandomSource) {
        self.rounding = rounding
        model = Model(random: &random)
        noise = ReceiverNoise(random: &random)
        var tunnels: [Range<Int>] = []
        for hour in [300..<1200, 1500..<2300, 2700..<3300] where random.chance(0.8) {
            let start = hour.lowerBound + random.index(below: hour.count - 180)
            tunnels.append(start..<start + Int(random.uniform(in: 20...180)))
        }
        self.tunnels = tunnels
        // A cold start at the beginning and after one tunnel in three.
        var colds = [0]
        for tunnel in tunnels where random.chance(1.0 / 3) { colds.append(tunnel.upperBound) }
        coldStarts = colds
        let outage = 2300 + random.index(below: 100)
        offline = random.chance(0.3) ? outage..<outage + 300 : 0..<0
    }

    /// Measures and sends a fix if it is due.
    mutating func measure(
        _ car: CarState, second: Int, at: Timestamp, into trace: inout ReceivedTrace, random: inout RandomSource
    ) {
        surroundings = surroundings * 0.9835 + 0.181 * random.normal()
        if second == offline.upperBound { upload(at: at, into: &trace) }
        guard !tunnels.contains(where: { $0.contains(second) }) else { return }
        if coldStarts.contains(second) {
            let (meters, angle) = (random.uniform(in: 50...300), random.uniform(in: 0...(2 * .pi)))
            bias = (TangentPlane.Point(east: meters * sin(angle), north: meters * cos(angle)), second)
        }
        guard second % model.intervalSeconds == 0 else { return }
        sequence += 1
        guard !random.chance(model.lossShare) else { return }
        var fix = fix(car, second: second, random: &random)
        fix.deviceAt = at.advanced(bySeconds: model.jitterSeconds * random.uniform(in: -1...1))
        fix.contentHash = random.next()
        if offline.contains(second) {
            fix.isBatched = true
            stored.append(fix)
        } else {
            let received = at.advanced(bySeconds: model.jitterSeconds + random.uniform(in: 0.05...0.4))
            append(fix, receivedAt: received, to: &trace)
        }
    }

    /// Sends the fixes that were stored without network access.
    mutating func upload(at: Timestamp, into trace: inout ReceivedTrace) {
        for fix in stored { append(fix, receivedAt: at, to: &trace) }
        stored.removeAll()
    }

    private mutating func append(_ fix: Fix, receivedAt: Timestamp, to trace: inout ReceivedTrace) {
        let at = max(receivedAt, latest ?? receivedAt)
        latest = at
        trace.append(fix, receivedAt: at)
    }

    private mutating func fix(_ car: CarState, second: Int, random: inout RandomSource) -> Fix {
        let sigma = min(30, model.sigmaMeters * exp(0.45 * surroundings))
        let error = noise.next(at: Double(second), slowMeters: sigma, random: &random)
        var east = error.east
        var north = error.north
        var radius = 1.51 * max(Model.leastStatedSigmaMeters, sigma) * random.uniform(in: 0.7...1.3)
        // One fix in a hundred has a much larger error than stated: Student's t with 2 degrees of freedom.
        if random.chance(0.01) {
            east += max(-300, min(300, sigma * random.studentT(degrees: 2)))
            north += max(-300, min(300, sigma * random.studentT(degrees: 2)))
        }
        if let cold = bias {
            // The error decays to 5 % in 20 s; the accuracy states a part of it.
            let left = exp(-Double(second - cold.since) / 6.7)
            east += cold.point.east * left
            north += cold.point.north * left
            radius += left * model.knownShareOfBias * cold.point.distanceMeters(to: .init(east: 0, north: 0))
            if second - cold.since > 40 { bias = nil }
        }
        if random.chance(0.0005) {
            // A glitch of 0.3 to 10 km, uniform in the logarithm.
            let (meters, angle) = (300 * pow(33.3, random.uniform()), random.uniform(in: 0...(2 * .pi)))
            east += meters * sin(angle)
            north += meters * cos(angle)
        }
        let point = TangentPlane.Point(east: car.point.east + east, north: car.point.north + north)
        var fix = Fix(coordinate: rounding.rounded(car.plane.coordinate(of: point)))
        model.fill(&fix, car, radius: radius, error: east, random: &random)
        if model.hasSequence { fix.sequence = sequence }
        return fix
    }
}

extension SimulatedPhone {
    /// Properties of a phone model with its app and network.
    struct Model {
        let intervalSeconds: Int
        /// Lasting error per axis in metres without buildings; recorded phones have 0.6 to 1.4 m on open roads.
        let sigmaMeters: Double
        let lossShare: Double
        /// Maximum timestamp error; 0 for the many receivers with whole-second timestamps.
        let jitterSeconds: Double
        let hasAccuracy: Bool
        let hasAccuracyLevels: Bool
        let hasSpeed: Bool
        let hasHeading: Bool
        let hasAltitude: Bool
        let hasSequence: Bool
        /// Share of the error after a cold start that the accuracy states.
        let knownShareOfBias: Double

        /// Some phones report only eight different accuracies.
        private static let levels = [3.0, 3.9, 4.8, 6.0, 8.0, 12.0, 20.0, 40.0]

        /// Best accuracy that phones state, as an error per axis; recorded phones state a radius of about 3 m.
        static let leastStatedSigmaMeters = 2.0

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

        /// Sets the fields other than the position.
        func fill(_ fix: inout Fix, _ car: CarState, radius: Double, error: Double, random: inout RandomSource) {
            if hasAccuracy {
                let level = Self.levels.first { $0 >= radius } ?? radius
                fix.accuracyMeters = hasAccuracyLevels ? level : (radius * 10).rounded() / 10
            }
            let measured = max(0, car.speed + 0.3 * random.normal())
            let speed = car.speed < 0.3 ? max(0, measured - 0.3) : measured
            if hasSpeed { fix.speedMetersPerSecond = (speed * 100).rounded() / 100 }
            if hasHeading, speed > 0.5 {
                let spread = speed > 3 ? 3 : min(40, 9 / speed)
                fix.headingDegrees = Geodesy.normalizedHeading(
                    ((car.heading + spread * random.normal()) * 10).rounded() / 10)
            }
            if hasAltitude {
                let terrain = 40 + 15 * sin(car.point.east / 2100) + 10 * cos(car.point.north / 1700)
                let wrong = max(-60, min(60, 0.6 * error)) + random.normal()
                fix.altitudeMeters = ((terrain + wrong) * 10).rounded() / 10
            }
        }
    }
}
