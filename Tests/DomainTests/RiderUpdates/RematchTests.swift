import Testing

@testable import Domain

@Suite("Updates about rematches, stages and facts")
struct RematchTests {
    private let broadcaster = Broadcaster()

    /// Returns the record of a trip message; without `previous`, it is the driver's first message.
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

    private func fix(_ driver: String, _ state: TripState, at seconds: Double, stage: TripStage? = nil) -> TripEta {
        var eta = TripEta(tripID: "t", driverID: driver, state: state, computedAt: Town.time(seconds))
        eta.position = Town.position(0, 0, at: seconds)
        eta.stage = stage
        return eta
    }

    private func updates(_ records: [TripEta], _ state: inout BroadcastState) -> [[RiderUpdate]] {
        records.map { broadcaster.updates(for: $0, state: &state) }
    }

    private func changes(_ updates: [[RiderUpdate]]) -> [RiderUpdate.StateChange] {
        updates.joined().compactMap { if case .stateChanged(let change) = $0 { change } else { nil } }
    }

    private func notifications(_ updates: [[RiderUpdate]]) -> [RiderUpdate.Notification] {
        updates.joined().compactMap { if case .notification(let notification) = $0 { notification } else { nil } }
    }

    @Test("a new driver of a cancelled trip is sent as a rematch, and the driver's updates follow")
    func afterCancellation() {
        var state = BroadcastState()
        let sent = updates(
            [
                message("a", .accepted, at: 0, facts: #"{"driver":"Ann"}"#), fix("a", .accepted, at: 1),
                message("a", .cancelled, after: .accepted, at: 2, facts: #"{"driver":"Ann"}"#, by: "DRIVER"),
                message("b", .accepted, at: 3, facts: #"{"driver":"Ben"}"#), fix("b", .accepted, at: 4),
                message("b", .arrived, after: .accepted, at: 5, facts: #"{"driver":"Ben"}"#),
            ], &state)
        let stateChanges = changes(sent)
        #expect(stateChanges.map(\.state) == [.accepted, .cancelled, .accepted, .arrived])
        #expect(stateChanges.map(\.previousState) == [.requested, .accepted, .cancelled, .accepted])
        #expect(stateChanges.map(\.isRematched) == [false, false, true, false])
        #expect(stateChanges[2].factsJSON == #"{"driver":"Ben"}"#)
        let sentNotifications = notifications(sent)
        #expect(sentNotifications.map(\.kind) == [.driverAccepted, .tripCancelled, .driverAccepted, .driverArrived])
        #expect(sentNotifications.map(\.triggeredBy) == [nil, "DRIVER", nil, nil])
        #expect(sentNotifications[2].factsJSON == #"{"driver":"Ben"}"#)
        #expect(sent[4].contains { if case .driverLocation = $0 { true } else { false } })
    }

    @Test("a rematch in a partition without a state of the trip is sent as a change from REQUESTED")
    func otherPartition() {
        var state = BroadcastState()
        let stateChanges = changes(updates([message("b", .accepted, at: 3)], &state))
        #expect(stateChanges.map(\.previousState) == [.requested])
    }

    @Test("neither positions nor the end of a driver who lost the trip are sent")
    func displacedDriver() {
        var state = BroadcastState()
        let sent = updates(
            [
                message("a", .accepted, at: 0), fix("a", .accepted, at: 1), message("b", .accepted, at: 2),
                fix("a", .accepted, at: 3), fix("b", .accepted, at: 4),
                message("a", .cancelled, after: .accepted, at: 5), fix("b", .accepted, at: 6),
            ], &state)
        #expect(changes(sent).map(\.isRematched) == [false, true])
        #expect(sent[3].isEmpty && sent[5].isEmpty)
        #expect(!sent[4].isEmpty && !sent[6].isEmpty)
        #expect(!state.hasEnded)
    }

    @Test("after the end, the driver's messages, another driver's later messages, positions and ends are not sent")
    func afterTheEnd() {
        var state = BroadcastState()
        let sent = updates(
            [
                message("a", .accepted, at: 0), message("a", .cancelled, after: .accepted, at: 1),
                message("a", .accepted, at: 2), fix("b", .accepted, at: 3),
                message("b", .arrived, after: .accepted, at: 4), message("b", .cancelled, at: 5),
            ], &state)
        #expect(changes(sent).map(\.state) == [.accepted, .cancelled])
    }

    @Test("a stage is sent once, also without a change of state")
    func stages() {
        var state = BroadcastState()
        let sent = updates(
            [
                message("a", .accepted, at: 0),
                message("a", .accepted, after: .accepted, at: 1, stage: .driverEnRoute),
                fix("a", .accepted, at: 2, stage: .driverEnRoute),
                message("a", .accepted, after: .accepted, at: 3, stage: .driverEnRoute),
                message("a", .arrived, after: .accepted, at: 4),
                message("a", .inProgress, after: .arrived, at: 5),
                message("a", .inProgress, after: .inProgress, at: 6, stage: .arrivedDestination),
            ], &state)
        let stateChanges = changes(sent)
        #expect(stateChanges.map(\.state) == [.accepted, .accepted, .arrived, .inProgress, .inProgress])
        #expect(stateChanges.map(\.stage) == [nil, .driverEnRoute, nil, nil, .arrivedDestination])
        #expect(stateChanges.map(\.previousState) == [.requested, .accepted, .accepted, .arrived, .inProgress])
        #expect(notifications(sent).count == 3, "A stage sends no notification.")
    }

    @Test("facts are sent when they change and with every change of state")
    func facts() {
        var state = BroadcastState()
        let sent = updates(
            [
                message("a", .requested, at: 0, facts: #"{"fare":1}"#),
                message("a", .requested, after: .requested, at: 1, facts: #"{"fare":1}"#),
                message("a", .requested, after: .requested, at: 2, facts: #"{"fare":2}"#),
                message("a", .accepted, after: .requested, at: 3, facts: #"{"fare":2}"#),
                fix("a", .accepted, at: 4),
            ], &state)
        let stateChanges = changes(sent)
        #expect(stateChanges.map(\.factsJSON) == [#"{"fare":1}"#, #"{"fare":2}"#, #"{"fare":2}"#])
        #expect(stateChanges.map(\.state) == [.requested, .requested, .accepted])
        #expect(sent[1].isEmpty)
        #expect(notifications(sent).map(\.factsJSON) == [#"{"fare":2}"#])
    }

    @Test("a message inherits missing facts of the previous message, and the stage if the state is equal")
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
