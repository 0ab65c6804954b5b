import Domain
import Foundation
import Simulation
import Support

/// The drivers of a town who are on the road at the same time, in whose busiest quarter the signals of the satellites
/// are jammed for some minutes.
struct JammedTown {
    static let drivers = 60
    /// The jamming begins after this time, in seconds, and lasts for so long.
    static let onsetSeconds = 1300.0
    static let jammedSeconds = 240.0
    /// Blame counts from the onset until this time after the end, in seconds.
    static let recoverySeconds = 300.0
    static let radiusMeters = 1500.0
    private static let captureMeters = 10_000.0
    private static let driftMetersPerSecond = 8.0

    let traces: [ReceivedTrace]
    let begin: Timestamp
    private let center: Coordinate

    /// Town number `number` of a seed.
    init(seed: UInt64, number: Int) {
        var fleet = SimulatedFleet(seed: seed)
        let begin = SimulatedFleet.start
        let until = begin.advanced(bySeconds: Self.onsetSeconds + Self.jammedSeconds + Self.recoverySeconds)
        // Drives that no other part of the evaluation makes.
        traces = (0..<Self.drivers).map { driver in
            let drive = fleet.drive(1_000_000 + number * Self.drivers + driver, from: begin)
            var trace = ReceivedTrace(name: "town-\(number)-\(driver)", origin: SimulatedFleet.origin)
            for (fix, at) in zip(drive.fixes, drive.receivedAt) where at < until { trace.append(fix, receivedAt: at) }
            return trace
        }
        self.begin = begin
        let places = traces.compactMap { Self.place(of: $0, at: begin.advanced(bySeconds: Self.onsetSeconds)) }
        center =
            places.max { one, other in
                Self.neighbours(of: one, places) < Self.neighbours(of: other, places)
            } ?? places[0]
    }

    /// Where a driver was last before a time.
    private static func place(of trace: ReceivedTrace, at time: Timestamp) -> Coordinate? {
        trace.receivedAt.lastIndex { $0 <= time }.map { trace.fixes[$0].coordinate }
    }

    private static func neighbours(of place: Coordinate, _ places: [Coordinate]) -> Int {
        places.count { Geodesy.nearbyDistanceMeters(from: place, to: $0) < radiusMeters }
    }

    /// The drivers' traces with `kind` of jamming: forged are the fixes that it puts elsewhere.
    func jammed(_ kind: JammingKind, seed: UInt64) -> [ReceivedTrace] {
        traces.enumerated().map { driver, trace in
            var random = RandomSource(seed: seed, index: UInt64(driver), purpose: 43)
            return jammed(trace, kind, random: &random)
        }
    }

    private func jammed(_ trace: ReceivedTrace, _ kind: JammingKind, random: inout RandomSource) -> ReceivedTrace {
        var jammed = ReceivedTrace(name: trace.name, origin: trace.origin)
        var noise = ReceiverNoise(random: &random)
        var leap = TangentPlane.Point(east: 0, north: 0)
        var leapEnds = 0.0
        for (index, original) in trace.fixes.enumerated() {
            let seconds = trace.takenAt(index).seconds(since: begin) - Self.onsetSeconds
            let isReached =
                (0..<Self.jammedSeconds).contains(seconds)
                && Geodesy.nearbyDistanceMeters(from: original.coordinate, to: center) < Self.radiusMeters
            guard isReached else {
                jammed.append(original, receivedAt: trace.receivedAt[index])
                continue
            }
            var fix = original
            switch kind {
            case .leaps:
                // Two fixes in ten are missing altogether.
                if random.chance(0.2) { continue }
                if seconds >= leapEnds {
                    leapEnds = seconds + random.uniform(in: 3...20)
                    leap = Self.point(meters: 300 * pow(10, random.uniform()), random: &random)
                }
                fix.coordinate = TangentPlane(origin: original.coordinate).coordinate(of: leap)
            case .capture:
                let error = noise.next(at: seconds, slowMeters: 2, random: &random)
                let place = Geodesy.destination(
                    from: center, bearingDegrees: 60, distanceMeters: Self.captureMeters)
                fix.coordinate = TangentPlane(origin: place).coordinate(of: error)
                fix.speedMetersPerSecond = original.speedMetersPerSecond.map { _ in 0 }
                fix.headingDegrees = nil
            case .drift:
                fix.coordinate = Geodesy.destination(
                    from: original.coordinate, bearingDegrees: 60, distanceMeters: Self.driftMetersPerSecond * seconds)
            case .cheaters: break
            }
            jammed.append(fix, receivedAt: trace.receivedAt[index], isForged: true)
        }
        return jammed
    }

    private static func point(meters: Double, random: inout RandomSource) -> TangentPlane.Point {
        let angle = random.uniform(in: 0...(2 * .pi))
        return TangentPlane.Point(east: meters * sin(angle), north: meters * cos(angle))
    }

    /// The drivers' traces, of whom one in twelve cheats in the same minutes, each in its own way.
    func withCheaters(seed: UInt64) -> [ReceivedTrace] {
        let kinds = [AttackKind.teleportAndStay, .impossibleSpeed, .parallelOffset, .staticPoint]
        var cheaters = 0
        let hosts = traces.map { AttackHost($0) }
        return traces.enumerated().map { driver, trace in
            guard cheaters < Self.drivers / 12, let host = hosts[driver] else { return trace }
            let kind = kinds[cheaters % kinds.count]
            for attempt in UInt64(0)..<20 {
                var random = RandomSource(seed: seed, index: UInt64(driver) << 8 | attempt, purpose: 44)
                guard let attack = AttackInjector(hosts: [host]).attack(kind, on: host, random: &random) else {
                    continue
                }
                cheaters += 1
                return attack.trace
            }
            return trace
        }
    }
}
