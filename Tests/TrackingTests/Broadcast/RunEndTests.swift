import Testing

@testable import Tracking

@Suite("How a trip is first told, and how a run leaves its route")
struct RunEndTests {
    private let broadcaster = Broadcaster()

    private func record(_ trip: TripState, at seconds: Double) -> TripEta {
        var eta = TripEta(tripID: "t", driverID: "d", state: trip, computedAt: Town.time(seconds))
        eta.position = Town.position(0, 0, at: seconds)
        return eta
    }

    private func changes(_ updates: [RiderUpdate]) -> [RiderUpdate.StateChange] {
        updates.compactMap { if case .stateChanged(let change) = $0 { change } else { nil } }
    }

    @Test(
        "a run that ends under way leaves its route at once, and once, whatever is known of it",
        arguments: [TripState.completed, .cancelled], [true, false])
    func leaves(ended: TripState, isKnown: Bool) {
        var state = BroadcastState()
        var eta = record(.inProgress, at: 0)
        (eta.kind, eta.routeID, eta.vehicleNumber) = (.transit, "R1", "KA-01")
        if isKnown { _ = broadcaster.updates(for: eta, state: &state) }
        (eta.state, eta.computedAt) = (ended, Town.time(5))
        eta.change = TripEta.Change(previousState: .inProgress, changedAt: Town.time(4))
        let updates = broadcaster.updates(for: eta, state: &state)
        let left = RiderUpdate.VehicleLeft(
            streamID: "t", vehicleNumber: "KA-01", state: ended, at: Town.time(4))
        #expect(updates.last == .vehicleLeft(left))
        #expect(changes(updates).map(\.state) == [ended] && updates.count == 2)
        eta.computedAt = Town.time(6)
        #expect(broadcaster.updates(for: eta, state: &state).isEmpty)
    }

    @Test("a ride and a run without a route leave no route")
    func leavesNothing() {
        for kind in TripMessage.Kind.allCases {
            var state = BroadcastState()
            _ = broadcaster.updates(for: record(.inProgress, at: 0), state: &state)
            var eta = record(.completed, at: 5)
            (eta.kind, eta.routeID) = (kind, kind == .transit ? nil : "R1")
            let updates = broadcaster.updates(for: eta, state: &state)
            #expect(!updates.contains { if case .vehicleLeft = $0 { true } else { false } })
            #expect(changes(updates).map(\.state) == [.completed])
        }
    }

    @Test(
        "the first change of a state names the only state before it, and none where there are several or none",
        arguments: [
            (.requested, nil), (.accepted, .requested), (.arrived, .accepted), (.inProgress, .arrived),
            (.completed, .inProgress), (.cancelled, nil),
        ] as [(TripState, TripState?)])
    func firstPrevious(of first: TripState, expected: TripState?) {
        var state = BroadcastState()
        var eta = record(first, at: 0)
        eta.change = TripEta.Change(previousState: nil, changedAt: Town.time(0))
        let updates = broadcaster.updates(for: eta, state: &state)
        #expect(changes(updates).map(\.previousState) == [expected])
        #expect(TripState.allCases.filter { $0.canMove(to: first) }.count == 1 || expected == nil)
    }
}
