import Testing

@testable import Domain

@Suite("First state of a trip and removal of runs from routes")
struct RunEndTests {
    private let broadcaster = Broadcaster()

    private func record(_ state: TripState, at seconds: Double) -> TripEta {
        var eta = TripEta(tripID: "t", driverID: "d", state: state, computedAt: Town.time(seconds))
        eta.position = Town.position(0, 0, at: seconds)
        return eta
    }

    private func changes(_ updates: [RiderUpdate]) -> [RiderUpdate.StateChange] {
        updates.compactMap { if case .stateChanged(let change) = $0 { change } else { nil } }
    }

    @Test(
        "a run that ends is removed from its route once, with or without a stored state",
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

    private func left(_ updates: [RiderUpdate]) -> [TripState] {
        updates.compactMap { if case .vehicleLeft(let vehicle) = $0 { vehicle.state } else { nil } }
    }

    private func run(at seconds: Double, route: String? = "R1") -> TripEta {
        var eta = record(.inProgress, at: seconds)
        (eta.kind, eta.routeID) = (.transit, route)
        return eta
    }

    @Test("a run that changes its route is removed from the old route once and sent on the new route")
    func changesRoute() {
        var state = BroadcastState()
        _ = broadcaster.updates(for: run(at: 0), state: &state)
        #expect(state.routeID == "R1")
        let updates = broadcaster.updates(for: run(at: 4, route: "R2"), state: &state)
        #expect(left(updates) == [.inProgress])
        #expect(updates.contains { if case .vehiclePosition = $0 { true } else { false } })
        #expect(state.routeID == "R2")
        #expect(left(broadcaster.updates(for: run(at: 8, route: "R2"), state: &state)).isEmpty)
        #expect(left(broadcaster.updates(for: run(at: 12, route: nil), state: &state)) == [.inProgress])
        #expect(left(broadcaster.updates(for: run(at: 16, route: nil), state: &state)).isEmpty)
    }

    @Test("an end record without a route removes the run from its last route")
    func endWithoutRoute() {
        var state = BroadcastState()
        _ = broadcaster.updates(for: run(at: 0), state: &state)
        #expect(left(broadcaster.updates(for: record(.completed, at: 5), state: &state)) == [.completed])
    }

    @Test("a displaced run is removed from its route until its next record")
    func displaced() {
        var state = BroadcastState()
        _ = broadcaster.updates(for: run(at: 0), state: &state)
        var last = run(at: 1)
        last.isDisplaced = true
        #expect(broadcaster.updates(for: last, state: &state).count == 1)
        #expect(state.routeID == nil && !state.hasEnded)
        let again = broadcaster.updates(for: run(at: 9), state: &state)
        #expect(again.contains { if case .vehiclePosition = $0 { true } else { false } })
    }

    @Test("neither a ride nor a run without a route is removed from a route")
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
        "the first change contains the previous state if only one is possible",
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
