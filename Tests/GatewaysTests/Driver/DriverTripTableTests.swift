import Testing

@testable import Domain
@testable import Gateways
@testable import Support

@Suite("Trips of drivers")
struct DriverTripTableTests {
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    private static func message(
        _ trip: String, _ state: TripState, driver: String = "d1", version: Int64? = nil, queuePosition: Int = 0,
        byDriver: Bool = false, changedAt: Int64? = nil
    ) -> TripMessage {
        var message = TripMessage(
            tripID: trip, driverID: driver, state: state, changedAt: changedAt.map { time($0) }, version: version,
            queuePosition: queuePosition)
        message.isDriverStatus = byDriver
        return message
    }

    /// Applies messages and returns the open trips after each, such as `a ACCEPTED, b ACCEPTED`; `-` for `nil`.
    private static func apply(_ table: inout DriverTripTable, _ messages: TripMessage...) -> [String] {
        messages.map { message in
            guard let trips = table.apply(message, receivedAt: time(1000), at: time(0)) else { return "-" }
            return trips.open.map { "\($0.id) \($0.state.code)" }.joined(separator: ", ")
        }
    }

    @Test("a trip is tracked from its acceptance to its end")
    func lifecycle() {
        var table = DriverTripTable()
        let states: [TripState] = [.accepted, .arrived, .inProgress, .completed]
        let results = states.flatMap { Self.apply(&table, Self.message("a", $0)) }
        #expect(results == ["a ACCEPTED", "a ARRIVED", "a IN_PROGRESS", ""])
        #expect(table.trips(of: "d1")?.open == [] && table.trips(of: "d2") == nil)
    }

    @Test("an invalid message changes no trip and returns the driver's open trips")
    func invalid() {
        var table = DriverTripTable()
        let results = Self.apply(
            &table, Self.message("a", .accepted, version: 2), Self.message("a", .completed, version: 3),
            Self.message("a", .arrived, version: 1), Self.message("a", .cancelled, version: 3),
            Self.message("a", .inProgress, byDriver: true))
        #expect(results == ["a ACCEPTED", "a ACCEPTED", "a ACCEPTED", "", ""])
    }

    @Test("a status of a device applies only to a known trip")
    func devices() {
        var table = DriverTripTable()
        #expect(Self.apply(&table, Self.message("a", .inProgress, byDriver: true)) == ["-"])
        #expect(table.count == 0, "a device cannot create entries")
        let results = Self.apply(
            &table, Self.message("a", .accepted), Self.message("a", .arrived, byDriver: true),
            Self.message("b", .inProgress, byDriver: true), Self.message("a", .inProgress, byDriver: true))
        #expect(results == ["a ACCEPTED", "a ARRIVED", "-", "a IN_PROGRESS"])
    }

    @Test("a device with a fast clock does not make the trip service's next message outdated")
    func fastClock() {
        var table = DriverTripTable()
        let results = Self.apply(
            &table, Self.message("a", .accepted, changedAt: 900),
            Self.message("a", .arrived, byDriver: true, changedAt: 90_000),
            Self.message("b", .accepted, changedAt: 1000))
        #expect(results == ["a ACCEPTED", "a ARRIVED", "b ACCEPTED"])
    }

    @Test("the next trip of a chained ride is tracked in addition to the current one")
    func chained() {
        var table = DriverTripTable()
        let results = Self.apply(
            &table, Self.message("a", .inProgress), Self.message("b", .accepted, queuePosition: 1),
            Self.message("a", .completed))
        #expect(results == ["a IN_PROGRESS", "a IN_PROGRESS, b ACCEPTED", "b ACCEPTED"])
    }

    @Test("a tombstone ends all trips of the driver")
    func tombstone() {
        var table = DriverTripTable()
        _ = Self.apply(&table, Self.message("a", .inProgress), Self.message("b", .accepted, queuePosition: 1))
        let ended = table.endTrips(of: "d1", at: Self.time(0))
        #expect(ended.map(\.lastTripID) == ["a", "b"] && ended.allSatisfy(\.open.isEmpty))
        #expect(table.endTrips(of: "d2", at: Self.time(0)).isEmpty)
    }

    @Test(
        "a driver is removed 5 minutes after the end of the last trip, or after a day without messages",
        arguments: [
            (TripState.completed, 299, true), (.completed, 300, false), (.accepted, 86_399, true),
            (.accepted, 86_400, false),
        ])
    func expiry(state: TripState, seconds: Int64, isKnown: Bool) {
        var table = DriverTripTable()
        _ = Self.apply(
            &table, Self.message("a", .inProgress), Self.message("a", state == .completed ? state : .inProgress))
        table.removeExpired(at: Self.time(seconds))
        #expect((table.trips(of: "d1") != nil) == isKnown)
    }

    @Test("at the limit, new drivers are ignored and known drivers are still tracked")
    func bounded() {
        var table = DriverTripTable(maximumDrivers: 2)
        let results = ["d1", "d2", "d3", "d1"].flatMap {
            Self.apply(&table, Self.message("of_\($0)", .accepted, driver: $0))
        }
        #expect(results == ["of_d1 ACCEPTED", "of_d2 ACCEPTED", "-", "of_d1 ACCEPTED"])
        #expect(table.count == 2)
    }
}
