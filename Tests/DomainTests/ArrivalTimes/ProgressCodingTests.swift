import TestSupport
import Testing

@testable import Domain

/// A trip restored at any point behaves like an uninterrupted trip.
@Suite struct ProgressCodingTests {
    private enum Event {
        case fix(east: Double, north: Double, speed: Double, heading: Double?, isHalted: Bool)
        case message(TripMessage)
        case punctuation
    }

    /// Returns random events of a trip: driving, jams, detours, jumps, gaps, changes of state and punctuations.
    private func events(_ messages: [TripMessage], length: Double, seed: UInt64) -> [(at: Double, event: Event)] {
        var random = SeededGenerator(seed: seed)
        var events: [(Double, Event)] = []
        var along = -300.0
        var north = 0.0
        var at = 0.0
        for step in 0..<240 {
            at += [1.0, 4, 4, 4, 7, 30, 90].randomElement(using: &random) ?? 4
            if step % 30 == 15, step / 30 < messages.count { events.append((at, .message(messages[step / 30]))) }
            if Bool.random(using: &random) { events.append((at, .punctuation)) }
            let speed = Double.random(in: 0..<1, using: &random) < 0.3 ? 0 : Double.random(in: 1...15, using: &random)
            switch Int.random(in: 0..<40, using: &random) {
            case 0: north = 300
            case 1: along += 900
            case 2: along -= 400
            case 3...6: north = 0
            default: along += speed * 4
            }
            along = min(along, length)
            let noise = Double.random(in: -15...15, using: &random)
            events.append(
                (
                    at,
                    .fix(
                        east: along + noise, north: north - noise, speed: speed,
                        heading: speed > 0 ? 90 + noise : nil, isHalted: speed == 0 && Bool.random(using: &random))
                ))
        }
        return events
    }

    private func apply(_ event: Event, at seconds: Double, to trip: ActiveTrip) -> TripEta? {
        let time = Town.time(seconds)
        switch event {
        case .fix(let east, let north, let speed, let heading, let isHalted):
            var position = Town.position(east, north, speed: speed, heading: heading, at: seconds - 0.4)
            // About a third are inaccurate enough to be moved towards the route.
            if Int(abs(east)) % 3 == 0 { position.accuracyMeters = 40 }
            trip.update(
                position: position,
                isHalted: isHalted, confidence: .medium, occupancyPercent: 30, at: time)
            return trip.eta(at: time)
        case .message(let message):
            trip.change(message, at: time)
            return trip.eta(at: time)
        case .punctuation:
            return trip.punctuate(at: time)
        }
    }

    private func check(_ first: TripMessage, _ later: [TripMessage], length: Double, seed: UInt64) {
        var table = RoadSpeedTable()
        let steady = ActiveTrip(first)
        var restarted = ActiveTrip(first)
        #expect(steady.eta(at: Town.start) == restarted.eta(at: Town.start))
        var last = first
        var known = [first]
        for (at, event) in events(later, length: length, seed: seed) {
            steady.updateExpectations(from: table, at: Town.time(at))
            restarted.updateExpectations(from: table, at: Town.time(at))
            let expected = apply(event, at: at, to: steady)
            let actual = apply(event, at: at, to: restarted)
            #expect(expected == actual, "seed \(seed) at \(at) s")
            if case .fix = event { steady.recordSpeeds(in: &table) }
            if case .message(let message) = event {
                known.append(message)
                last = message
            }
            let bytes = steady.encoded
            #expect(bytes == restarted.encoded, "seed \(seed) at \(at) s")
            // After a restart, the compacted topic may contain only the last message or all messages.
            restarted = ActiveTrip(last == known.last && known.count % 2 == 0 ? last : first)
            if known.count % 2 == 1 { for message in known.dropFirst() { restarted.change(message, at: Town.start) } }
            #expect(bytes.withUnsafeBytes { restarted.restoreProgress($0) })
        }
    }

    @Test("a ride restored after every event continues unchanged", arguments: 1...8 as ClosedRange<UInt64>)
    func ride(seed: UInt64) {
        let later = [
            Town.ride(.arrived, version: 2), Town.ride(.inProgress, version: 3),
            Town.ride(.inProgress, version: 4, route: Town.route([(0, 0), (3000, 0)], meters: 3100, seconds: 400)),
            Town.ride(.completed, version: 5),
        ]
        var matching = later
        matching[3].route = matching[2].route
        check(Town.ride(.accepted), matching, length: 3000, seed: seed)
    }

    @Test("a forty-stop run restored after every event continues unchanged", arguments: 1...3 as ClosedRange<UInt64>)
    func run(seed: UInt64) {
        check(Town.run(stops: 40, departure: seed % 2 == 0 ? 300 : nil), [], length: 19_500, seed: seed)
    }

    @Test("a run without route restored after every event continues unchanged", arguments: 1...3 as ClosedRange<UInt64>)
    func withoutRoute(seed: UInt64) { check(Town.run(departure: nil, route: false), [], length: 3000, seed: seed) }

    @Test("the progress of forty stops is encoded in at most 2,048 bytes, a ride's in under 250")
    func size() {
        let run = ActiveTrip(Town.run(stops: 40, departure: nil))
        let ride = ActiveTrip(Town.ride(.inProgress))
        var largest = 0
        run.updateExpectations(from: RoadSpeedTable(), at: Town.start)
        for step in 0..<1000 {
            _ = run.drive(Double(step) * 19, at: Double(step) * 10)
            largest = max(largest, run.encoded.count)
        }
        _ = ride.drive(100, at: 0)
        #expect(largest <= 2048)
        #expect(ride.encoded.count < 250)
    }

    @Test("truncated bytes and bytes of another plan restore nothing; flipped bits do not trap")
    func damaged() {
        let seed: UInt64 = 4711
        var random = SeededGenerator(seed: seed)
        let trip = ActiveTrip(Town.run())
        _ = trip.drive(700, at: 70)
        let bytes = trip.encoded
        let other = ActiveTrip(Town.run(stops: 8))
        #expect(!bytes.withUnsafeBytes { other.restoreProgress($0) })
        let target = ActiveTrip(Town.run())
        let before = target.progress
        for length in 0..<bytes.count {
            #expect(!bytes.prefix(length).withUnsafeBytes { target.restoreProgress($0) }, "cut to \(length)")
        }
        #expect(!(bytes + [0]).withUnsafeBytes { target.restoreProgress($0) })
        #expect(target.progress == before)
        // Flipped bits must never trap; valid values may be accepted.
        for _ in 0..<3000 {
            var copy = bytes
            let index = Int.random(in: 0..<copy.count, using: &random)
            copy[index] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
            _ = copy.withUnsafeBytes { TripProgress($0, plan: target.plan) }
        }
    }
}
