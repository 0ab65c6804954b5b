import Testing

@testable import Domain
@testable import Support

@Suite struct TripLedgerTests {
    private func message(
        _ id: String, _ state: TripState, _ version: Int64? = nil, queue: Int = 0, at seconds: Int64? = nil
    ) -> TripMessage {
        TripMessage(
            tripID: id, driverID: "d", state: state,
            changedAt: seconds.map { Timestamp(milliseconds: $0 * 1000) }, version: version, queuePosition: queue)
    }

    @Test("the first message may have any state, and a final state begins no trip", arguments: TripState.allCases)
    func firstMessage(state: TripState) {
        var ledger = TripLedger()
        let step = ledger.apply(message("a", state, 7))
        #expect(step.outcome == (state.hasEnded ? .ended(from: nil) : .began(.current)))
        #expect(ledger.current?.tripID == (state.hasEnded ? nil : "a"))
    }

    @Test("every message of a complete ride is accepted, and its end leaves no trip")
    func wholeRide() {
        var ledger = TripLedger()
        #expect(ledger.apply(message("a", .requested, 1)).outcome == .began(.current))
        #expect(ledger.apply(message("a", .accepted, 2)).outcome == .changed(.current, from: .requested))
        #expect(ledger.apply(message("a", .accepted, 3)).outcome == .updated(.current))
        #expect(ledger.apply(message("a", .arrived, 4)).outcome == .changed(.current, from: .accepted))
        #expect(ledger.apply(message("a", .inProgress, 5)).outcome == .changed(.current, from: .arrived))
        #expect(ledger.apply(message("a", .completed, 6)).outcome == .ended(from: .inProgress))
        #expect(ledger.isEmpty)
    }

    @Test("a repeated message is recognised, during the trip and after its end")
    func repeated() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .inProgress, 5))
        #expect(ledger.apply(message("a", .inProgress, 5)).outcome == .repeated)
        _ = ledger.apply(message("a", .cancelled, 6))
        #expect(ledger.apply(message("a", .cancelled, 6)).outcome == .repeated)
    }

    @Test("the text of a rejection contains the requested and the expected transitions or versions")
    func texts() {
        var ledger = TripLedger()
        func text(_ message: TripMessage) -> String? {
            let step = ledger.apply(message)
            guard case .rejected(let rejection) = step.outcome else { return nil }
            return rejection.text(of: message, current: step.conflict)
        }
        #expect(text(message("a", .requested, 3)) == nil)
        #expect(
            text(message("a", .completed, 4)) == "REQUESTED → COMPLETED is not allowed; expected ACCEPTED or CANCELLED")
        #expect(text(message("a", .accepted, 2)) == "version 2 is older than version 3; expected version 3 or later")
        #expect(
            text(message("a", .accepted, 3)) == "version 3 is REQUESTED already, not ACCEPTED; expected a later version"
        )
        #expect(text(message("a", .cancelled, 5)) == nil)
        #expect(text(message("a", .accepted, 6)) == "CANCELLED → ACCEPTED is not allowed; the trip has ended")
        #expect(text(message("b", .requested, 1, at: 100)) == nil)
        #expect(
            text(message("c", .requested, 1, at: 99)) == "The trip c changed before the trip b, which replaced it")
    }

    @Test("a rejected message does not change the state")
    func rejected() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .accepted, 5))
        #expect(ledger.apply(message("a", .inProgress, 6)).outcome == .rejected(.invalidTransition))
        #expect(ledger.apply(message("a", .arrived, 4)).outcome == .rejected(.staleVersion))
        #expect(ledger.current?.state == .accepted)
        #expect(ledger.current?.version == 5)
        _ = ledger.apply(message("a", .cancelled, 7))
        #expect(ledger.apply(message("a", .arrived, 8)).outcome == .rejected(.tripAlreadyCancelled))
        #expect(ledger.apply(message("a", .arrived, 5)).outcome == .rejected(.staleVersion))
        #expect(ledger.isEmpty)
    }

    @Test("after completion, a newer change is an invalid transition, and an older change is stale")
    func afterCompletion() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .completed, 7))
        #expect(ledger.apply(message("a", .cancelled, 8)).outcome == .rejected(.invalidTransition))
        #expect(ledger.apply(message("a", .inProgress, 6)).outcome == .rejected(.staleVersion))
    }

    @Test("a chained ride becomes the current trip when the previous ride ends")
    func chained() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .inProgress, 5))
        #expect(ledger.apply(message("b", .accepted, 1, queue: 1)).outcome == .began(.next))
        #expect(ledger.current?.tripID == "a")
        let step = ledger.apply(message("a", .completed, 6))
        #expect(step.outcome == .ended(from: .inProgress))
        #expect(step.promotedNext)
        #expect(ledger.current?.tripID == "b")
        #expect(ledger.current?.queuePosition == 0)
        #expect(ledger.next == nil)
        #expect(ledger.apply(message("b", .arrived, 2)).outcome == .changed(.current, from: .accepted))
    }

    @Test("a chained ride moved to the front displaces an unfinished trip")
    func movedToFront() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .inProgress, 5))
        _ = ledger.apply(message("b", .accepted, 1, queue: 1))
        let step = ledger.apply(message("b", .accepted, 2, queue: 0))
        #expect(step.outcome == .updated(.current))
        #expect(step.promotedNext)
        #expect(step.displaced?.tripID == "a")
        #expect(ledger.next == nil)
    }

    @Test("cancelling the next trip does not change the current trip")
    func nextCancelled() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .inProgress, 5))
        _ = ledger.apply(message("b", .accepted, 1, queue: 1))
        let step = ledger.apply(message("b", .cancelled, 2, queue: 1))
        #expect(step.outcome == .ended(from: .accepted))
        #expect(!step.promotedNext)
        #expect(ledger.current?.tripID == "a")
    }

    @Test("moving the current trip behind the next trip swaps both")
    func swapped() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .accepted, 5))
        _ = ledger.apply(message("b", .accepted, 1, queue: 1))
        #expect(ledger.apply(message("a", .accepted, 6, queue: 1)).outcome == .updated(.next))
        #expect(ledger.current?.tripID == "b")
        #expect(ledger.next?.tripID == "a")
    }

    @Test("a new trip displaces an unfinished trip, but an older message does not")
    func displaced() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .inProgress, 5, at: 100))
        let step = ledger.apply(message("b", .accepted, 1, at: 200))
        #expect(step.outcome == .began(.current))
        #expect(step.displaced?.tripID == "a")
        #expect(ledger.apply(message("a", .inProgress, 6, at: 150)).outcome == .rejected(.staleVersion))
        #expect(ledger.apply(message("a", .completed, 7, at: 160)).outcome == .ended(from: nil))
        #expect(ledger.current?.tripID == "b")
    }

    @Test("a tombstone ends all of the driver's trips")
    func tombstone() {
        var ledger = TripLedger()
        _ = ledger.apply(message("a", .inProgress, 5))
        _ = ledger.apply(message("b", .accepted, 1, queue: 1))
        #expect(ledger.end().map(\.tripID) == ["a", "b"])
        #expect(ledger.isEmpty)
        #expect(ledger.end().isEmpty)
        #expect(ledger.apply(message("a", .completed, 6)).outcome == .rejected(.tripAlreadyCancelled))
    }

    @Test("stops and rider missing in a later message are kept")
    func leftOut() {
        var ledger = TripLedger()
        var first = message("a", .accepted, 1)
        first.stops = [.init(id: "pickup", kind: .pickup, coordinate: Coordinate(latitude: 1, longitude: 2))]
        first.riderID = "r"
        _ = ledger.apply(first)
        _ = ledger.apply(message("a", .arrived, 2))
        #expect(ledger.current?.stops == first.stops)
        #expect(ledger.current?.riderID == "r")
    }
}
