import Codec
import Domain
import Processors
import Foundation
import Support
import Testing

/// Rides of a driver who moves east at 10 m/s, from the pickup at 100 s to the dropoff 3 km farther at 400 s.
@Suite("Driven distance with late fixes")
struct LateFixTests {
    private static let pickedUp = 100.0
    private static let droppedOff = 400.0

    private static func east(_ second: Double) -> Double { (second - pickedUp) * 10 }

    private static func member(changedAt second: Double) -> String {
        "\"changed_at\":\(RidePartition.start.advanced(bySeconds: second).milliseconds)"
    }

    /// Adds the trip's messages; start and end arrive with a delay, in seconds after `changed_at`.
    private func addMessages(
        to ride: inout RidePartition, startDelay: Double = 0, endDelay: Double = 0, end: String = "COMPLETED"
    ) {
        ride.addTrip("d", "ACCEPTED", version: 1, at: 10, members: Self.member(changedAt: 10))
        ride.addTrip("d", "ARRIVED", version: 2, at: 90, members: Self.member(changedAt: 90))
        ride.addTrip(
            "d", "IN_PROGRESS", version: 3, at: Self.pickedUp + startDelay,
            members: Self.member(changedAt: Self.pickedUp))
        ride.addTrip(
            "d", end, version: 4, at: Self.droppedOff + endDelay, members: Self.member(changedAt: Self.droppedOff))
    }

    private func addFixes(
        to ride: inout RidePartition, from start: Double, through end: Double, delay: Double = 0.1, by step: Double = 4
    ) {
        for second in stride(from: start, through: end, by: step) {
            ride.addFix("d", Self.east(second), at: second, receivedAt: second + delay)
        }
    }

    /// Adds fixes of another driver, which advance stream time.
    private func addOtherDriver(in ride: inout RidePartition, until end: Double) {
        for second in stride(from: 1.5, through: end, by: 5) { ride.addFix("other", second, 9000, at: second) }
    }

    private func batch(from start: Double, through end: Double) -> [(east: Double, at: Double)] {
        stride(from: start, through: end, by: 4).map { (Self.east($0), $0) }
    }

    private func ends(_ etas: RecordedTopic, of trip: String = "t") -> [TripEta] {
        let reader = TripEtaReader()
        var ends: [TripEta] = []
        for offset in etas.records.indices {
            etas.with(offset, input: 0) { record, _ in
                var eta = TripEta(
                    tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
                guard let value = record.value, reader.read(value, into: &eta) != nil else { return }
                if eta.tripID == trip, eta.state.hasEnded { ends.append(eta) }
            }
        }
        return ends
    }

    private func isNear(_ meters: Double?, _ expected: Double, within tolerance: Double = 25) -> Bool {
        abs((meters ?? -1) - expected) <= tolerance
    }

    @Test(
        "the distance does not depend on the order of messages and fixes",
        arguments: [
            (0.1, 0.0, 0.0), (0.1, 3, 0), (0.1, 40, 0), (0.1, 0, 3), (0.1, 0, 40), (0.1, 40, 40), (3, 0, 0), (9, 0, 0),
        ])
    func order(fixDelay: Double, startDelay: Double, endDelay: Double) throws {
        var ride = RidePartition()
        addMessages(to: &ride, startDelay: startDelay, endDelay: endDelay)
        addFixes(to: &ride, from: 2, through: 498, delay: fixDelay)
        let ends = ends(ride.run().etas)
        let last = try #require(ends.last)
        #expect(isNear(last.drivenMeters, 3000), "\(last.drivenMeters ?? -1)")
        // Fixes after the dropoff add nothing to the driven and the matched distance.
        #expect(isNear(last.snappedMeters, 3000, within: 80), "\(last.snappedMeters ?? -1)")
        #expect(last.fareChecks.isEmpty)
    }

    @Test("the end of a ride without late fixes is published once")
    func once() {
        var ride = RidePartition()
        addMessages(to: &ride, endDelay: 3)
        addFixes(to: &ride, from: 2, through: 498)
        addOtherDriver(in: &ride, until: 800)
        #expect(ends(ride.run().etas).count == 1)
    }

    @Test("if a ride's fixes arrive after its end, the end is published again with their distance")
    func offline() throws {
        var ride = RidePartition()
        addMessages(to: &ride)
        addFixes(to: &ride, from: 2, through: 98)
        ride.addBatch("d", batch(from: 102, through: 430), receivedAt: 440)
        let ends = ends(ride.run().etas)
        #expect(ends.count == 2)
        #expect(isNear(ends.first?.drivenMeters, 0))
        let last = try #require(ends.last)
        #expect(isNear(last.drivenMeters, 3000) && isNear(last.snappedMeters, 3000, within: 60))
        #expect(last.change?.previousState == .completed && last.change?.triggeredBy == "LATE_LOCATIONS")
        #expect(last.change?.changedAt == RidePartition.start.advanced(bySeconds: Self.droppedOff))
        // The position is not later than the ride's end.
        let position = try #require(last.position)
        #expect(position.fixedAt <= RidePartition.start.advanced(bySeconds: Self.droppedOff))
    }

    @Test("the distance of a ride of 20 minutes includes fixes that arrive before its messages")
    func uploadedFirst() throws {
        var ride = RidePartition()
        ride.addTrip("d", "ACCEPTED", version: 1, at: 10, members: Self.member(changedAt: 10))
        ride.addFix("d", -30, at: 97)
        // To the dropoff and back, twice: 12 km.
        ride.addBatch(
            "d",
            stride(from: 100.0, through: 1330, by: 4).map { second in
                let phase = (second - 100).truncatingRemainder(dividingBy: 600)
                return (phase < 300 ? phase * 10 : 6000 - phase * 10, second)
            }, receivedAt: 1340)
        ride.addTrip("d", "ARRIVED", version: 2, at: 1341, members: Self.member(changedAt: 99))
        ride.addTrip("d", "IN_PROGRESS", version: 3, at: 1342, members: Self.member(changedAt: 100))
        ride.addTrip("d", "COMPLETED", version: 4, at: 1343, members: Self.member(changedAt: 1300))
        let last = try #require(ends(ride.run().etas).last)
        #expect(isNear(last.drivenMeters, 12_000, within: 150), "\(last.drivenMeters ?? -1)")
        #expect(last.fareChecks.contains(.longRoute))
    }

    @Test(
        "late fixes of an ended ride count until 80 % of `memorySeconds` after its end",
        arguments: [(639.9, true), (640, true), (640.1, false)])
    func deadline(receivedAt: Double, isCounted: Bool) {
        var ride = RidePartition()
        addMessages(to: &ride)
        addFixes(to: &ride, from: 2, through: 98)
        ride.addBatch("d", batch(from: 102, through: 398), receivedAt: receivedAt)
        addOtherDriver(in: &ride, until: 700)
        let ends = ends(ride.run().etas)
        #expect(ends.count == (isCounted ? 2 : 1))
        #expect(isNear(ends.last?.drivenMeters, isCounted ? 2980 : 0, within: 40))
    }

    @Test("a late fix counts for the ride during which it was measured, even if the next ride has begun")
    func nextRide() throws {
        var ride = RidePartition()
        addMessages(to: &ride)
        ride.addTrip("d", "ACCEPTED", version: 1, at: 402, trip: "u", members: Self.member(changedAt: 402))
        ride.addTrip("d", "ARRIVED", version: 2, at: 420, trip: "u", members: Self.member(changedAt: 420))
        ride.addTrip("d", "IN_PROGRESS", version: 3, at: 440, trip: "u", members: Self.member(changedAt: 440))
        ride.addTrip("d", "COMPLETED", version: 4, at: 520, trip: "u", members: Self.member(changedAt: 520))
        addFixes(to: &ride, from: 2, through: 98)
        ride.addBatch("d", batch(from: 102, through: 498), receivedAt: 500)
        addFixes(to: &ride, from: 502, through: 540)
        let etas = ride.run().etas
        #expect(isNear(ends(etas).last?.drivenMeters, 3000))
        #expect(isNear(ends(etas, of: "u").last?.drivenMeters, 800))
    }

    @Test("late fixes of a cancelled ride count, and only the last four ended rides wait for late fixes")
    func limit() {
        var ride = RidePartition()
        addMessages(to: &ride, end: "CANCELLED")
        addFixes(to: &ride, from: 2, through: 98)
        ride.addBatch("d", batch(from: 102, through: 300), receivedAt: 405)
        for (number, trip) in ["u", "v", "w", "x"].enumerated() {
            let at = 410 + Double(number) * 10
            ride.addTrip("d", "IN_PROGRESS", version: 1, at: at, trip: trip, members: Self.member(changedAt: at))
            ride.addTrip("d", "COMPLETED", version: 2, at: at + 5, trip: trip, members: Self.member(changedAt: at + 5))
        }
        addOtherDriver(in: &ride, until: 450)
        let ends = ends(ride.run().etas)
        #expect(ends.count == 2)
        #expect(isNear(ends.last?.drivenMeters, 1980))
        #expect(ends.last?.computedAt == RidePartition.start.advanced(bySeconds: 445))
    }

    @Test(
        "if start and end times are implausible, receipt times of the messages delimit the distance",
        arguments: [(3700.0, 4000.0), (100, 100), (100, 50)])
    func implausibleTimes(start: Double, end: Double) throws {
        var ride = RidePartition()
        ride.addTrip("d", "ARRIVED", version: 2, at: 90, members: Self.member(changedAt: 90))
        ride.addTrip("d", "IN_PROGRESS", version: 3, at: 100, members: Self.member(changedAt: start))
        ride.addTrip("d", "COMPLETED", version: 4, at: 400, members: Self.member(changedAt: end))
        addFixes(to: &ride, from: 2, through: 498)
        let last = try #require(ends(ride.run().etas).last)
        #expect(isNear(last.drivenMeters, 3000), "\(last.drivenMeters ?? -1)")
    }

    @Test("a restart after any record gives the same records and states", arguments: [0, 1, 2])
    func restart(scene: Int) {
        var ride = RidePartition()
        addMessages(to: &ride, startDelay: scene == 1 ? 20 : 0, endDelay: scene == 1 ? 20 : 0)
        addFixes(to: &ride, from: 42, through: 98)
        if scene == 1 {
            addFixes(to: &ride, from: 102, through: 438)
        } else {
            ride.addBatch("d", batch(from: 102, through: 398), receivedAt: 420)
            // Without a fix after the end (scene 0), the wait for late fixes times out.
            if scene == 2 { addFixes(to: &ride, from: 425, through: 440) }
        }
        ride.addTrip("d", "ACCEPTED", version: 1, at: 450, trip: "u", members: Self.member(changedAt: 450))
        for second in stride(from: 30.5, through: 700, by: 30) { ride.addFix("other", second, 9000, at: second) }
        let undisturbed = ride.run().etas
        #expect(ends(undisturbed).count == (scene == 1 ? 1 : 2))
        for stop in stride(from: 1, to: ride.count, by: 5) {
            let etas = ride.run(stops: [stop]).etas
            #expect(etas.texts == undisturbed.texts, "stopped after \(stop)")
            #expect(etas.records.map(\.state) == undisturbed.records.map(\.state), "stopped after \(stop)")
        }
    }
}
