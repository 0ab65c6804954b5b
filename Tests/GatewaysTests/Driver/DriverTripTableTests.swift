import Testing

@testable import Gateways
@testable import Model
@testable import Support

@Suite("The trips that a gateway knows")
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

    /// Follows messages, and gives the trips after each: `a ACCEPTED, b ACCEPTED`; `-` where nothing is known.
    private static func follow(_ book: inout DriverTripTable, _ messages: TripMessage...) -> [String] {
        messages.map { message in
            guard let trips = book.follow(message, receivedAt: time(1000), at: time(0)) else { return "-" }
            return trips.open.map { "\($0.id) \($0.state.code)" }.joined(separator: ", ")
        }
    }

    @Test("a trip is followed from its acceptance to its end")
    func life() {
        var book = DriverTripTable()
        let states: [TripState] = [.accepted, .arrived, .inProgress, .completed]
        let seen = states.flatMap { Self.follow(&book, Self.message("a", $0)) }
        #expect(seen == ["a ACCEPTED", "a ARRIVED", "a IN_PROGRESS", ""])
        #expect(book.trips(of: "d1")?.open == [] && book.trips(of: "d2") == nil)
    }

    @Test("a message that the pipeline refuses changes nothing, and is answered with what is known")
    func refused() {
        var book = DriverTripTable()
        let seen = Self.follow(
            &book, Self.message("a", .accepted, version: 2), Self.message("a", .completed, version: 3),
            Self.message("a", .arrived, version: 1), Self.message("a", .cancelled, version: 3),
            Self.message("a", .inProgress, byDriver: true))
        #expect(seen == ["a ACCEPTED", "a ACCEPTED", "a ACCEPTED", "", ""])
    }

    @Test("what a device says counts for a trip that is known, and for no other")
    func devices() {
        var book = DriverTripTable()
        #expect(Self.follow(&book, Self.message("a", .inProgress, byDriver: true)) == ["-"])
        #expect(book.count == 0, "a device cannot have the gateway hold anything")
        let seen = Self.follow(
            &book, Self.message("a", .accepted), Self.message("a", .arrived, byDriver: true),
            Self.message("b", .inProgress, byDriver: true), Self.message("a", .inProgress, byDriver: true))
        #expect(seen == ["a ACCEPTED", "a ARRIVED", "-", "a IN_PROGRESS"])
    }

    @Test("a device whose clock is fast does not make the trip service's next message an old one")
    func fastClock() {
        var book = DriverTripTable()
        let seen = Self.follow(
            &book, Self.message("a", .accepted, changedAt: 900),
            Self.message("a", .arrived, byDriver: true, changedAt: 90_000),
            Self.message("b", .accepted, changedAt: 1000))
        #expect(seen == ["a ACCEPTED", "a ARRIVED", "b ACCEPTED"])
    }

    @Test("the next one of a chained ride is known beside the trip")
    func chained() {
        var book = DriverTripTable()
        let seen = Self.follow(
            &book, Self.message("a", .inProgress), Self.message("b", .accepted, queuePosition: 1),
            Self.message("a", .completed))
        #expect(seen == ["a IN_PROGRESS", "a IN_PROGRESS, b ACCEPTED", "b ACCEPTED"])
    }

    @Test("a tombstone ends all trips of the driver")
    func tombstone() {
        var book = DriverTripTable()
        _ = Self.follow(&book, Self.message("a", .inProgress), Self.message("b", .accepted, queuePosition: 1))
        let ended = book.end(driver: "d1", at: Self.time(0))
        #expect(ended.map(\.newest) == ["a", "b"] && ended.allSatisfy(\.open.isEmpty))
        #expect(book.end(driver: "d2", at: Self.time(0)).isEmpty)
    }

    @Test(
        "a driver without a trip is forgotten after 5 minutes, and one with a trip after a day without a message",
        arguments: [
            (TripState.completed, 299, true), (.completed, 300, false), (.accepted, 86_399, true),
            (.accepted, 86_400, false),
        ])
    func forgotten(state: TripState, seconds: Int64, isKnown: Bool) {
        var book = DriverTripTable()
        _ = Self.follow(
            &book, Self.message("a", .inProgress), Self.message("a", state == .completed ? state : .inProgress))
        book.forget(at: Self.time(seconds))
        #expect((book.trips(of: "d1") != nil) == isKnown)
    }

    @Test("as many drivers are held as are allowed, and the others of those go on")
    func bounded() {
        var book = DriverTripTable(maximumDrivers: 2)
        let seen = ["d1", "d2", "d3", "d1"].flatMap {
            Self.follow(&book, Self.message("of_\($0)", .accepted, driver: $0))
        }
        #expect(seen == ["of_d1 ACCEPTED", "of_d2 ACCEPTED", "-", "of_d1 ACCEPTED"])
        #expect(book.count == 2)
    }
}
