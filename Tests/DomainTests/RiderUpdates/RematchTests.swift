import Testing

@testable import Model
@testable import RiderUpdates

@Suite("What riders hear of drivers, stages and facts")
struct RematchTests {
    private let broadcaster = Broadcaster()

    /// A record of a trip message: the first of its driver's unless `previous` is given.
    private func message(
        _ driver: String, _ state: TripState, after previous: TripState? = nil, at seconds: Double,
        stage: TripStage? = nil, facts: String? = nil, by: String? = nil
    ) -> TripEta {
        var eta = fix(driver, state, at: seconds)
        eta.position = nil
        eta.stage = stage
        eta.change = TripEta.Change(
            previousState: previous, triggeredBy: by, changedAt: Town.time(seconds), factsJSON: facts)
        return eta
    }

    /// A record of a location.
    private func fix(_ driver: String, _ state: TripState, at seconds: Double, stage: TripStage? = nil) -> TripEta {
        var eta = TripEta(tripID: "t", driverID: driver, state: state, computedAt: Town.time(seconds))
        eta.position = Town.position(0, 0, at: seconds)
        eta.stage = stage
        return eta
    }

    private func tell(_ records: [TripEta], _ state: inout BroadcastState) -> [[RiderUpdate]] {
        records.map { broadcaster.updates(for: $0, state: &state) }
    }

    private func changes(_ updates: [[RiderUpdate]]) -> [RiderUpdate.StateChange] {
        updates.joined().compactMap { if case .stateChanged(let change) = $0 { change } else { nil } }
    }

    private func notifications(_ updates: [[RiderUpdate]]) -> [RiderUpdate.Notification] {
        updates.joined().compactMap { if case .notification(let notification) = $0 { notification } else { nil } }
    }

    @Test("another driver who takes a cancelled trip over is told, with everything that follows")
    func afterCancellation() {
        var state = BroadcastState()
        let updates = tell(
            [
                message("a", .accepted, at: 0, facts: #"{"driver":"Ann"}"#), fix("a", .accepted, at: 1),
                message("a", .cancelled, after: .accepted, at: 2, facts: #"{"driver":"Ann"}"#, by: "DRIVER"),
                message("b", .accepted, at: 3, facts: #"{"driver":"Ben"}"#), fix("b", .accepted, at: 4),
                message("b", .arrived, after: .accepted, at: 5, facts: #"{"driver":"Ben"}"#),
            ], &state)
        let told = changes(updates)
        #expect(told.map(\.state) == [.accepted, .cancelled, .accepted, .arrived])
        #expect(told.map(\.previousState) == [.requested, .accepted, .cancelled, .accepted])
        #expect(told.map(\.isRematched) == [false, false, true, false])
        #expect(told[2].factsJSON == #"{"driver":"Ben"}"#)
        let moments = notifications(updates)
        #expect(moments.map(\.moment) == [.driverAccepted, .tripCancelled, .driverAccepted, .driverArrived])
        #expect(moments.map(\.triggeredBy) == [nil, "DRIVER", nil, nil])
        #expect(moments[2].factsJSON == #"{"driver":"Ben"}"#)
        #expect(updates[4].contains { if case .driverLocation = $0 { true } else { false } })
    }

    @Test("a rematch in a partition that knows nothing of the trip is told as a match")
    func otherPartition() {
        var state = BroadcastState()
        let told = changes(tell([message("b", .accepted, at: 3)], &state))
        #expect(told.map(\.previousState) == [.requested])
    }

    @Test("a driver who lost the trip is not told of any more, neither positions nor the end")
    func displacedDriver() {
        var state = BroadcastState()
        let updates = tell(
            [
                message("a", .accepted, at: 0), fix("a", .accepted, at: 1), message("b", .accepted, at: 2),
                fix("a", .accepted, at: 3), fix("b", .accepted, at: 4),
                message("a", .cancelled, after: .accepted, at: 5), fix("b", .accepted, at: 6),
            ], &state)
        #expect(changes(updates).map(\.isRematched) == [false, true])
        #expect(updates[3].isEmpty && updates[5].isEmpty)
        #expect(!updates[4].isEmpty && !updates[6].isEmpty)
        #expect(!state.hasEnded)
    }

    @Test("after the end nothing of the same driver is told, and no message of another that begins nothing")
    func afterTheEnd() {
        var state = BroadcastState()
        let updates = tell(
            [
                message("a", .accepted, at: 0), message("a", .cancelled, after: .accepted, at: 1),
                message("a", .accepted, at: 2), fix("b", .accepted, at: 3),
                message("b", .arrived, after: .accepted, at: 4), message("b", .cancelled, at: 5),
            ], &state)
        #expect(changes(updates).map(\.state) == [.accepted, .cancelled])
    }

    @Test("a stage is told once, also where the state stays")
    func stages() {
        var state = BroadcastState()
        let updates = tell(
            [
                message("a", .accepted, at: 0),
                message("a", .accepted, after: .accepted, at: 1, stage: .driverEnRoute),
                fix("a", .accepted, at: 2, stage: .driverEnRoute),
                message("a", .accepted, after: .accepted, at: 3, stage: .driverEnRoute),
                message("a", .arrived, after: .accepted, at: 4),
                message("a", .inProgress, after: .arrived, at: 5),
                message("a", .inProgress, after: .inProgress, at: 6, stage: .arrivedDestination),
            ], &state)
        let told = changes(updates)
        #expect(told.map(\.state) == [.accepted, .accepted, .arrived, .inProgress, .inProgress])
        #expect(told.map(\.stage) == [nil, .driverEnRoute, nil, nil, .arrivedDestination])
        #expect(told.map(\.previousState) == [.requested, .accepted, .accepted, .arrived, .inProgress])
        #expect(notifications(updates).count == 3, "A stage is no moment for a notification.")
    }

    @Test("facts are told when they change, and with every change of state")
    func facts() {
        var state = BroadcastState()
        let updates = tell(
            [
                message("a", .requested, at: 0, facts: #"{"fare":1}"#),
                message("a", .requested, after: .requested, at: 1, facts: #"{"fare":1}"#),
                message("a", .requested, after: .requested, at: 2, facts: #"{"fare":2}"#),
                message("a", .accepted, after: .requested, at: 3, facts: #"{"fare":2}"#),
                fix("a", .accepted, at: 4),
            ], &state)
        let told = changes(updates)
        #expect(told.map(\.factsJSON) == [#"{"fare":1}"#, #"{"fare":2}"#, #"{"fare":2}"#])
        #expect(told.map(\.state) == [.requested, .requested, .accepted])
        #expect(updates[1].isEmpty)
        #expect(notifications(updates).map(\.factsJSON) == [#"{"fare":2}"#])
    }

    @Test("a message takes facts over from the one before it, and the stage while the state stays")
    func completed() {
        var first = Town.ride(.accepted)
        (first.factsJSON, first.stage) = (#"{"a":1}"#, .driverEnRoute)
        #expect(Town.ride(.accepted, version: 2).completed(from: first).factsJSON == #"{"a":1}"#)
        #expect(Town.ride(.accepted, version: 2).completed(from: first).stage == .driverEnRoute)
        #expect(Town.ride(.arrived, version: 2).completed(from: first).stage == nil)
        var other = Town.ride(.accepted, version: 2)
        other.factsJSON = "{}"
        #expect(other.completed(from: first).factsJSON == "{}")
    }
}
