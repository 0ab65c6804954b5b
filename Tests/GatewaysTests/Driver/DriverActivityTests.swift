import TestSupport
import Testing

@testable import Codec
@testable import Gateways
@testable import Model
@testable import Support

@Suite("What a device has said of its driver")
struct DriverActivityTests {
    private static func locations(
        speed: Double? = nil, battery: Int? = nil, charging: Bool? = nil, network: NetworkType? = nil
    ) -> DeviceLocations {
        DeviceLocations(
            value: .empty, isBatch: false, fixCount: 1, unreadableCount: 0, unreadable: [], sequences: nil,
            speedMetersPerSecond: speed, batteryPercent: battery, isCharging: charging, network: network)
    }

    private static func trips(_ newest: String, _ open: (String, TripState)...) -> KnownTrips {
        KnownTrips(open: open.map { .init(id: $0.0, state: $0.1) }, newest: newest)
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

    @Test("the trip that the pipeline knows counts, though the device says nothing of it")
    func knownTrip() {
        var activity = DriverActivity()
        for (state, expected) in [
            (TripState.accepted, SamplingConditions.Trip.toPickup), (.arrived, .toPickup), (.inProgress, .onTrip),
        ] {
            activity.follow(Self.trips("a", ("a", state)))
            #expect(activity.conditions(at: Self.time(0)).trip == expected)
        }
        activity.follow(Self.trips("a"))
        #expect(activity.conditions(at: Self.time(0)).trip == .none)
    }

    @Test("what the pipeline says of a trip takes the place of what the device has said of it, also after its end")
    func knownBeforeSaid() {
        var activity = DriverActivity(.inProgress)
        activity.follow(Self.trips("a", ("a", .accepted)))
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup, "the state given at the beginning is over")
        activity.note(tripID: "a", .inProgress)
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup, "the pipeline has not followed it yet")
        activity.follow(Self.trips("a"))
        activity.note(tripID: "a", .inProgress)
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip, "as far as the device knows")
        activity.follow(Self.trips("a"))
        #expect(activity.conditions(at: Self.time(0)).trip == .none, "the pipeline has refused it")
    }

    @Test("a trip that only the device names counts beside those that the pipeline knows")
    func saidBesideKnown() {
        var activity = DriverActivity()
        activity.note(tripID: "mine", .inProgress)
        activity.follow(Self.trips("a", ("a", .accepted)))
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip)
        activity.note(tripID: "mine", .completed)
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup)
    }

    @Test("standing begins anew with a change of the known trips, and goes on with a message that changes none")
    func standingWithKnownTrips() {
        var activity = DriverActivity()
        activity.note(Self.locations(speed: 0), at: Self.time(0))
        activity.follow(Self.trips("a"))
        #expect(activity.conditions(at: Self.time(100)).idleSeconds == 100)
        activity.follow(Self.trips("b", ("b", .accepted)))
        activity.follow(Self.trips("b"))
        #expect(activity.conditions(at: Self.time(200)).idleSeconds == 0)
    }

    @Test("the pace of driving follows the speeds, and the network and the app's state are told with it")
    func pace() {
        var activity = DriverActivity()
        #expect(activity.conditions(at: Self.time(0)).pace == .medium)
        for (speed, expected) in [
            (16.0, DrivingSpeed.fast), (13, .fast), (12, .medium), (5, .medium), (4, .slow), (5.5, .slow),
            (5.6, .medium),
        ] {
            activity.note(Self.locations(speed: speed), at: Self.time(0))
            #expect(activity.conditions(at: Self.time(0)).pace == expected, "\(speed) m/s")
        }
        activity.note(Self.locations(network: .thirdGeneration), at: Self.time(1))
        activity.note(Self.locations(), at: Self.time(2))
        activity.isInBackground = true
        let conditions = activity.conditions(at: Self.time(2))
        #expect(conditions.network == .thirdGeneration && conditions.isInBackground && conditions.pace == .medium)
    }
}
