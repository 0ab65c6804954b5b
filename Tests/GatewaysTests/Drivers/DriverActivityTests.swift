import Bytes
import Testing
import TestSupport
import Tracking

@testable import Gateways

@Suite("What a device has said of its driver")
struct DriverActivityTests {
    private static func locations(
        speed: Double? = nil, battery: Int? = nil, charging: Bool? = nil
    ) -> DeviceLocations {
        DeviceLocations(
            value: .empty, isBatch: false, fixCount: 1, unreadableCount: 0, unreadable: [], sequences: nil,
            speedMetersPerSecond: speed, batteryPercent: battery, isCharging: charging)
    }

    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("a driver stands from the first slow position on, and no longer with the first fast one")
    func standing() {
        var activity = DriverActivity()
        #expect(activity.conditions(at: Self.time(0)) == SamplingConditions(trip: .none))
        activity.note(Self.locations(speed: 1.49), at: Self.time(10))
        activity.note(Self.locations(speed: 0), at: Self.time(20))
        #expect(activity.conditions(at: Self.time(310)).idleSeconds == 300)
        activity.note(Self.locations(), at: Self.time(320))
        #expect(activity.conditions(at: Self.time(320)).idleSeconds == 310, "no speed says nothing")
        activity.note(Self.locations(speed: 1.5), at: Self.time(330))
        #expect(activity.conditions(at: Self.time(340)).idleSeconds == 0)
    }

    @Test("a trip ends standing, and standing begins anew after it")
    func standingOnTrip() {
        var activity = DriverActivity()
        activity.note(Self.locations(speed: 0), at: Self.time(0))
        activity.note(tripID: "a", .accepted)
        #expect(activity.conditions(at: Self.time(400)).idleSeconds == 0)
        activity.note(Self.locations(speed: 0), at: Self.time(400))
        #expect(activity.conditions(at: Self.time(800)).idleSeconds == 0)
        activity.note(tripID: "a", .completed)
        activity.note(Self.locations(speed: 0), at: Self.time(800))
        #expect(activity.conditions(at: Self.time(900)).idleSeconds == 100)
    }

    @Test("of a trip and the next one, the trip with a rider counts until it ends")
    func chainedTrips() {
        var activity = DriverActivity()
        for (trip, state, expected) in [
            ("a", TripState.inProgress, SamplingConditions.Trip.onTrip), ("b", .accepted, .onTrip),
            ("a", .completed, .toPickup), ("b", .cancelled, .none),
        ] {
            activity.note(tripID: trip, state)
            #expect(activity.conditions(at: Self.time(0)).trip == expected, "\(trip) \(state)")
        }
    }

    @Test("the state that a device gives when it connects holds until its first status")
    func givenState() {
        var activity = DriverActivity(.inProgress)
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip)
        activity.note(tripID: "a", .completed)
        #expect(activity.conditions(at: Self.time(0)).trip == .none)
    }

    @Test("trips whose end was never heard make room for newer ones")
    func forgottenTrips() {
        var activity = DriverActivity()
        activity.note(tripID: "old", .inProgress)
        for trip in ["a", "b", "c"] { activity.note(tripID: trip, .accepted) }
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip)
        activity.note(tripID: "d", .accepted)
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup)
    }

    @Test("battery and speed are those that were said last")
    func lastValues() {
        var activity = DriverActivity()
        activity.note(Self.locations(speed: 9, battery: 15, charging: true), at: Self.time(0))
        activity.note(Self.locations(battery: 14), at: Self.time(1))
        let conditions = activity.conditions(at: Self.time(1))
        #expect(conditions.batteryPercent == 14 && conditions.isCharging == true)
        #expect(conditions.speedMetersPerSecond == 9)
    }
}
