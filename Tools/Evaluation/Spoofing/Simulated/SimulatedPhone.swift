import Domain
import Foundation
import Simulation
import Support

/// A phone in a car: what it measures, and what becomes of it on the way.
struct SimulatedPhone {
    /// Where the car is.
    struct Place {
        var plane: TangentPlane
        var point: TangentPlane.Point
        var speed: Double
        var heading: Double
    }

    private let model: Model
    private let rounding: CoordinateRounding
    private var noise: ReceiverNoise
    /// Buildings: the logarithm of what they make of the noise, with a time constant of a minute.
    private var surroundings = 0.0
    /// Seconds in which nothing is measured, and in which nothing is sent, in order.
    private let tunnels: [Range<Int>]
    private let offline: Range<Int>
    private let coldStarts: [Int]
    private var bias: (point: TangentPlane.Point, since: Int)?
    private var sequence: Int64 = 0
    private var latest: Timestamp?
    private var stored: [(fix: Fix, isGlitch: Bool)] = []

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
        // A cold start at the beginning, after one tunnel in three, as behind a garage.
        var colds = [0]
        for tunnel in tunnels where random.chance(1.0 / 3) { colds.append(tunnel.upperBound) }
        coldStarts = colds
        let outage = 2300 + random.index(below: 100)
        offline = random.chance(0.3) ? outage..<outage + 300 : 0..<0
    }

    /// Measures and sends, if it is time to.
    mutating func measure(
        _ place: Place, second: Int, at: Timestamp, into trace: inout ReceivedTrace, random: inout RandomSource
    ) {
        surroundings = surroundings * 0.9835 + 0.181 * random.normal()
        if second == offline.upperBound { upload(at: at, into: &trace) }
        guard !tunnels.contains(where: { $0.contains(second) }) else { return }
        begin(second, at, into: &trace, random: &random)
        guard second % model.intervalSeconds == 0 else { return }
        sequence += 1
        guard !random.chance(model.lossShare) else { return }
        var (fix, isGlitch) = fix(place, second: second, at: at, random: &random)
        fix.deviceAt = at.advanced(bySeconds: model.jitterSeconds * random.uniform(in: -1...1))
        fix.contentHash = random.next()
        if offline.contains(second) {
            fix.isBatched = true
            stored.append((fix, isGlitch))
        } else {
            let received = at.advanced(bySeconds: model.jitterSeconds + random.uniform(in: 0.05...0.4))
            append(fix, receivedAt: received, isGlitch: isGlitch, to: &trace)
        }
    }

    /// Sends what was stored while there was no network.
    mutating func upload(at: Timestamp, into trace: inout ReceivedTrace) {
        for (fix, isGlitch) in stored { append(fix, receivedAt: at, isGlitch: isGlitch, to: &trace) }
        stored.removeAll()
    }

    private mutating func append(
        _ fix: Fix, receivedAt: Timestamp, isGlitch: Bool, to trace: inout ReceivedTrace
    ) {
        let at = max(receivedAt, latest ?? receivedAt)
        latest = at
        if isGlitch { trace.glitches.insert(trace.fixes.count) }
        trace.append(fix, receivedAt: at)
    }

    /// Tunnels that end now, and starts without knowledge of the satellites.
    private mutating func begin(
        _ second: Int, _ at: Timestamp, into trace: inout ReceivedTrace, random: inout RandomSource
    ) {
        let isCold = coldStarts.contains(second)
        if isCold || tunnels.contains(where: { $0.upperBound == second }) { trace.mishaps.append(at) }
        guard isCold else { return }
        let (meters, angle) = (random.uniform(in: 50...300), random.uniform(in: 0...(2 * .pi)))
        bias = (TangentPlane.Point(east: meters * sin(angle), north: meters * cos(angle)), second)
    }

    private mutating func fix(
        _ place: Place, second: Int, at: Timestamp, random: inout RandomSource
    ) -> (Fix, isGlitch: Bool) {
        let sigma = min(30, model.sigmaMeters * exp(0.45 * surroundings))
        let error = noise.next(at: Double(second), slowMeters: sigma, random: &random)
        var east = error.east
        var north = error.north
        var radius = 1.51 * max(Model.leastToldSigmaMeters, sigma) * random.uniform(in: 0.7...1.3)
        // One fix in a hundred is far worse than it says: Student's t with 2 degrees of freedom.
        if random.chance(0.01) {
            east += max(-300, min(300, sigma * random.studentT(degrees: 2)))
            north += max(-300, min(300, sigma * random.studentT(degrees: 2)))
        }
        if let cold = bias {
            // 5 % are left after 20 s; the phone knows of some of it.
            let left = exp(-Double(second - cold.since) / 6.7)
            east += cold.point.east * left
            north += cold.point.north * left
            radius += left * model.knownShareOfBias * cold.point.distanceMeters(to: .init(east: 0, north: 0))
            if second - cold.since > 40 { bias = nil }
        }
        let isGlitch = random.chance(0.0005)
        if isGlitch {
            // From 0.3 to 10 km, the near ones oftener.
            let (meters, angle) = (300 * pow(33.3, random.uniform()), random.uniform(in: 0...(2 * .pi)))
            east += meters * sin(angle)
            north += meters * cos(angle)
        }
        let point = TangentPlane.Point(east: place.point.east + east, north: place.point.north + north)
        var fix = Fix(coordinate: rounding.rounded(place.plane.coordinate(of: point)))
        model.fill(&fix, place, radius: radius, error: east, random: &random)
        if model.hasSequence { fix.sequence = sequence }
        return (fix, isGlitch)
    }
}
