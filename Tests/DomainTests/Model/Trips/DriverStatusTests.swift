import Testing

@testable import Domain
@testable import Support

@Suite("Trip statuses from the driver's app")
struct DriverStatusTests {
    private func plan(_ id: String, _ state: TripState, _ version: Int64, queue: Int = 0) -> TripMessage {
        TripMessage(
            tripID: id, driverID: "d", riderID: "r", kind: .transit, state: state,
            changedAt: Timestamp(milliseconds: 1000 * version), version: version,
            stops: [.init(id: "s", kind: .stop, coordinate: Coordinate(latitude: 1, longitude: 2))],
            routeID: "R1", queuePosition: queue)
    }

    private func status(_ id: String, _ state: TripState, at milliseconds: Int64? = nil) -> TripMessage {
        var message = TripMessage(
            tripID: id, driverID: "d", state: state, triggeredBy: "DRIVER",
            changedAt: milliseconds.map { Timestamp(milliseconds: $0) })
        message.isDriverStatus = true
        return message
    }

    @Test("a status changes the state and keeps stops, route, kind, version and queue position")
    func keepsThePlan() {
        var ledger = TripLedger()
        _ = ledger.apply(plan("a", .accepted, 3))
        _ = ledger.apply(plan("b", .accepted, 1, queue: 1))
        #expect(ledger.apply(status("a", .arrived, at: 9000)).outcome == .changed(.current, from: .accepted))
        var expected = plan("a", .arrived, 3)
        (expected.triggeredBy, expected.changedAt) = ("DRIVER", Timestamp(milliseconds: 9000))
        #expect(ledger.current == expected)
        let step = ledger.apply(status("b", .arrived, at: 9000))
        #expect(step.outcome == .changed(.next, from: .accepted) && !step.promotedNext && step.displaced == nil)
        #expect(ledger.next?.queuePosition == 1 && ledger.current?.tripID == "a")
    }

    @Test("after a status, newer versions of the trip service are applied and older ones are stale")
    func versions() {
        var ledger = TripLedger()
        _ = ledger.apply(plan("a", .accepted, 3))
        _ = ledger.apply(status("a", .arrived))
        #expect(ledger.apply(plan("a", .accepted, 2)).outcome == .rejected(.staleVersion))
        #expect(ledger.apply(plan("a", .arrived, 4)).outcome == .updated(.current))
        #expect(ledger.apply(status("a", .inProgress)).outcome == .changed(.current, from: .arrived))
        #expect(ledger.apply(plan("a", .inProgress, 5)).outcome == .updated(.current))
    }

    @Test("a status is rejected exactly if its transition is not allowed", arguments: TripState.allCases)
    func stateMachine(next: TripState) {
        for before in TripState.allCases where !before.hasEnded && before != next {
            var ledger = TripLedger()
            _ = ledger.apply(plan("a", before, 3))
            let isRejected = ledger.apply(status("a", next)).outcome == .rejected(.invalidTransition)
            #expect(isRejected != before.canMove(to: next), "\(before)")
        }
    }

    @Test("other fields of a status, except the context, do not change the trip")
    func foreignMembers() {
        var ledger = TripLedger()
        _ = ledger.apply(plan("a", .accepted, 3))
        var message = status("a", .arrived, at: 9000)
        message.stops = [.init(id: "x", kind: .stop, coordinate: Coordinate(latitude: 5, longitude: 5))]
        (message.routeID, message.riderID, message.vehicleNumber) = ("R2", "r2", "KA-02")
        (message.factsJSON, message.contextJSON) = ("{}", "{}")
        #expect(ledger.apply(message).outcome == .changed(.current, from: .accepted))
        var expected = plan("a", .arrived, 3)
        (expected.triggeredBy, expected.changedAt) = ("DRIVER", Timestamp(milliseconds: 9000))
        // Only the context is applied, because `TripReader` writes the location of an arrival into it.
        expected.contextJSON = "{}"
        #expect(ledger.current == expected)
    }

    @Test("a repeated status does not change the trip, whatever its time")
    func repeated() {
        var ledger = TripLedger()
        _ = ledger.apply(plan("a", .accepted, 3))
        _ = ledger.apply(status("a", .arrived, at: 9000))
        #expect(ledger.apply(status("a", .arrived, at: 9000)).outcome == .repeated)
        // An older time does not move the trip back.
        #expect(ledger.apply(status("a", .arrived, at: 8000)).outcome == .repeated)
        #expect(ledger.apply(status("a", .arrived, at: 9001)).outcome == .repeated)
    }

    @Test("an end reported by app and trip service is applied once", arguments: [true, false])
    func end(driverFirst: Bool) {
        var ledger = TripLedger()
        _ = ledger.apply(plan("a", .inProgress, 5))
        let both = [status("a", .completed), plan("a", .completed, 6)]
        let outcomes = (driverFirst ? both : both.reversed()).map { ledger.apply($0).outcome }
        #expect(outcomes == [.ended(from: .inProgress), .repeated])
        #expect(ledger.apply(status("a", .cancelled)).outcome == .rejected(.invalidTransition))
        #expect(ledger.apply(plan("a", .inProgress, 4)).outcome == .rejected(.staleVersion))
    }

    @Test("a status of an unknown trip is rejected and displaces no trip", arguments: TripState.allCases)
    func unknownTrip(state: TripState) {
        var ledger = TripLedger()
        #expect(ledger.apply(status("a", state)).outcome == .rejected(.tripNotFound))
        _ = ledger.apply(plan("b", .inProgress, 1))
        #expect(ledger.apply(status("a", state)).outcome == .rejected(.tripNotFound))
        #expect(ledger.current?.tripID == "b")
        #expect("\(TripRejection.tripNotFound.code)" == "TRIP_NOT_FOUND")
    }
}
