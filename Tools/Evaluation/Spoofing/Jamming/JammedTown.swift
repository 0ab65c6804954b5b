import Domain
import Foundation
import Simulation
import Support

/// Effect of jammed or forged satellite signals on the receivers.
enum JammingKind: String, CaseIterable, Sendable {
    /// Each receiver reports another point every few seconds, hundreds of metres to kilometres off.
    case leaps
    /// All receivers report one point 10 km away, as near airports that are protected against drones.
    case capture
    /// All receivers drift away together at 8 m/s, and jump back at the end.
    case drift
    /// No jamming: one driver in twelve cheats independently.
    case cheaters
}

/// Concurrent drivers of a town in whose busiest quarter satellite signals are jammed for four minutes.
struct JammedTown {
    static let drivers = 60
    /// Start and duration of the jamming in seconds.
    static let onsetSeconds = 1300.0
    static let jammedSeconds = 240.0
    /// The traces end this long after the jamming, in seconds.
    private static let recoverySeconds = 300.0
    private static let radiusMeters = 1500.0
    private static let captureMeters = 10_000.0
    private static let driftMetersPerSecond = 8.0

    let traces: [ReceivedTrace]
    let begin: Timestamp
    private let center: Coordinate

    init(seed: UInt64, number: Int) {
        var fleet = SimulatedFleet(seed: seed)
        let begin = SimulatedFleet.start
        let until = begin.advanced(bySeconds: Self.onsetSeconds + Self.jammedSeconds + Self.recoverySeconds)
        // Drives that no other part of the evaluation uses.
        traces = (0..<Self.drivers).map { driver in
            let drive = fleet.drive(1_000_000 + number * Self.drivers + driver, from: begin)
            var trace = ReceivedTrace(name: "town-\(number)-\(driver)", origin: SimulatedFleet.origin)
            for (fix, at) in zip(drive.fixes, drive.receivedAt) where at < until { trace.append(fix, receivedAt: at) }
            return trace
        }
        self.begin = begin
        let onset = begin.advanced(bySeconds: Self.onsetSeconds)
        let positions = traces.compactMap { trace in
            trace.receivedAt.lastIndex { $0 <= onset }.map { trace.fixes[$0].coordinate }
        }
        func neighbours(_ position: Coordinate) -> Int {
            positions.count { Geodesy.nearbyDistanceMeters(from: position, to: $0) < Self.radiusMeters }
        }
        center = positions.max { neighbours($0) < neighbours($1) } ?? positions[0]
    }

    /// Returns the drivers' traces with jamming; the displaced fixes are marked as forged.
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
            let seconds = trace.measuredAt(index).seconds(since: begin) - Self.onsetSeconds
            let isJammed =
                (0..<Self.jammedSeconds).contains(seconds)
                && Geodesy.nearbyDistanceMeters(from: original.coordinate, to: center) < Self.radiusMeters
            guard isJammed else {
                jammed.append(original, receivedAt: trace.receivedAt[index])
                continue
            }
            var fix = original
            switch kind {
            case .leaps:
                // Two fixes in ten are lost.
                if random.chance(0.2) { continue }
                if seconds >= leapEnds {
                    leapEnds = seconds + random.uniform(in: 3...20)
                    let meters = 300 * pow(10, random.uniform())
                    let angle = random.uniform(in: 0...(2 * .pi))
                    leap = TangentPlane.Point(east: meters * sin(angle), north: meters * cos(angle))
                }
                fix.coordinate = TangentPlane(origin: original.coordinate).coordinate(of: leap)
            case .capture:
                let error = noise.next(at: seconds, slowMeters: 2, random: &random)
                let point = Geodesy.destination(
                    from: center, bearingDegrees: 60, distanceMeters: Self.captureMeters)
                fix.coordinate = TangentPlane(origin: point).coordinate(of: error)
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

    /// Returns the drivers' traces; up to one in twelve has an attack of its own.
    func withCheaters(seed: UInt64) -> [ReceivedTrace] {
        let kinds = [AttackKind.teleportAndStay, .impossibleSpeed, .parallelOffset, .staticPoint]
        var cheaters = 0
        return traces.enumerated().map { driver, trace in
            guard cheaters < Self.drivers / 12, let host = AttackHost(trace) else { return trace }
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
