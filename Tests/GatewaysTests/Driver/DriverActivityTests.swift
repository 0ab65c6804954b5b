import Testing

@testable import Codec
@testable import Domain
@testable import Gateways
@testable import Support

@Suite("Driver activity")
struct DriverActivityTests {
    private static func locations(
        speed: Double? = nil, battery: Int? = nil, charging: Bool? = nil, network: NetworkType? = nil
    ) -> DeviceLocations {
        DeviceLocations(
            value: .empty, isBatch: false, fixCount: 1, unreadableCount: 0, unreadable: [], sequences: nil,
            speedMetersPerSecond: speed, batteryPercent: battery, isCharging: charging, network: network)
    }

    private static func trips(_ lastTripID: String, _ open: (String, TripState)...) -> KnownTrips {
        KnownTrips(open: open.map { .init(id: $0.0, state: $0.1) }, lastTripID: lastTripID)
    }

    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("the standing time starts with the first slow position and ends with the first fast position")
    func standing() {
        var activity = DriverActivity()
        #expect(activity.conditions(at: Self.time(0)) == SamplingConditions(trip: .none))
        activity.record(Self.locations(speed: 1.49), at: Self.time(10))
        activity.record(Self.locations(speed: 0), at: Self.time(20))
        #expect(activity.conditions(at: Self.time(310)).idleSeconds == 300)
        activity.record(Self.locations(), at: Self.time(320))
        #expect(
            activity.conditions(at: Self.time(320)).idleSeconds == 310, "a position without a speed changes nothing")
        activity.record(Self.locations(speed: 1.5), at: Self.time(330))
        #expect(activity.conditions(at: Self.time(340)).idleSeconds == 0)
    }

    @Test("a trip resets the standing time")
    func standingOnTrip() {
        var activity = DriverActivity()
        activity.record(Self.locations(speed: 0), at: Self.time(0))
        activity.record(tripID: "a", .accepted)
        #expect(activity.conditions(at: Self.time(400)).idleSeconds == 0)
        activity.record(Self.locations(speed: 0), at: Self.time(400))
        #expect(activity.conditions(at: Self.time(800)).idleSeconds == 0)
        activity.record(tripID: "a", .completed)
        activity.record(Self.locations(speed: 0), at: Self.time(800))
        #expect(activity.conditions(at: Self.time(900)).idleSeconds == 100)
    }

    @Test("the trip with a rider takes precedence until it ends")
    func chainedTrips() {
        var activity = DriverActivity()
        for (trip, state, expected) in [
            ("a", TripState.inProgress, SamplingConditions.Trip.onTrip), ("b", .accepted, .onTrip),
            ("a", .completed, .toPickup), ("b", .cancelled, .none),
        ] {
            activity.record(tripID: trip, state)
            #expect(activity.conditions(at: Self.time(0)).trip == expected, "\(trip) \(state)")
        }
    }

    @Test("the trip state given on connecting applies until the first trip status")
    func initialState() {
        var activity = DriverActivity(.inProgress)
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip)
        activity.record(tripID: "a", .completed)
        #expect(activity.conditions(at: Self.time(0)).trip == .none)
    }

    @Test("of more than four reported trips, the oldest is dropped")
    func droppedTrip() {
        var activity = DriverActivity()
        activity.record(tripID: "old", .inProgress)
        for trip in ["a", "b", "c"] { activity.record(tripID: trip, .accepted) }
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip)
        activity.record(tripID: "d", .accepted)
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup)
    }

    @Test("the latest battery and speed are used")
    func lastValues() {
        var activity = DriverActivity()
        activity.record(Self.locations(speed: 9, battery: 15, charging: true), at: Self.time(0))
        activity.record(Self.locations(battery: 14), at: Self.time(1))
        let conditions = activity.conditions(at: Self.time(1))
        #expect(conditions.batteryPercent == 14 && conditions.isCharging == true)
        #expect(conditions.speedMetersPerSecond == 9)
    }

    @Test("a trip from the trips topic is used without a report of the device")
    func knownTrip() {
        var activity = DriverActivity()
        for (state, expected) in [
            (TripState.accepted, SamplingConditions.Trip.toPickup), (.arrived, .toPickup), (.inProgress, .onTrip),
        ] {
            activity.apply(Self.trips("a", ("a", state)))
            #expect(activity.conditions(at: Self.time(0)).trip == expected)
        }
        activity.apply(Self.trips("a"))
        #expect(activity.conditions(at: Self.time(0)).trip == .none)
    }

    @Test("messages from the trips topic override the device's reports of the same trip")
    func pipelineOverridesReport() {
        var activity = DriverActivity(.inProgress)
        activity.apply(Self.trips("a", ("a", .accepted)))
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup, "the state given on connecting is replaced")
        activity.record(tripID: "a", .inProgress)
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup, "the topic's state takes precedence")
        activity.apply(Self.trips("a"))
        activity.record(tripID: "a", .inProgress)
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip, "reported after the end in the topic")
        activity.apply(Self.trips("a"))
        #expect(activity.conditions(at: Self.time(0)).trip == .none, "the topic's next message removes the report")
    }

    @Test("a trip reported only by the device is used in addition to trips from the trips topic")
    func reportedAndKnown() {
        var activity = DriverActivity()
        activity.record(tripID: "mine", .inProgress)
        activity.apply(Self.trips("a", ("a", .accepted)))
        #expect(activity.conditions(at: Self.time(0)).trip == .onTrip)
        activity.record(tripID: "mine", .completed)
        #expect(activity.conditions(at: Self.time(0)).trip == .toPickup)
    }

    @Test("a message of the trips topic resets the standing time only if it changes the driver's open trips")
    func standingWithKnownTrips() {
        var activity = DriverActivity()
        activity.record(Self.locations(speed: 0), at: Self.time(0))
        activity.apply(Self.trips("a"))
        #expect(activity.conditions(at: Self.time(100)).idleSeconds == 100)
        activity.apply(Self.trips("b", ("b", .accepted)))
        activity.apply(Self.trips("b"))
        #expect(activity.conditions(at: Self.time(200)).idleSeconds == 0)
    }

    @Test("the speed class follows the speed with hysteresis; network and app state are included")
    func speedClass() {
        var activity = DriverActivity()
        #expect(activity.conditions(at: Self.time(0)).drivingSpeed == .medium)
        for (speed, expected) in [
            (16.0, DrivingSpeed.fast), (13, .fast), (12, .medium), (5, .medium), (4, .slow), (5.5, .slow),
            (5.6, .medium),
        ] {
            activity.record(Self.locations(speed: speed), at: Self.time(0))
            #expect(activity.conditions(at: Self.time(0)).drivingSpeed == expected, "\(speed) m/s")
        }
        activity.record(Self.locations(network: .thirdGeneration), at: Self.time(1))
        activity.record(Self.locations(), at: Self.time(2))
        activity.isInBackground = true
        let conditions = activity.conditions(at: Self.time(2))
        #expect(
            conditions.network == .thirdGeneration && conditions.isInBackground && conditions.drivingSpeed == .medium)
    }
}
