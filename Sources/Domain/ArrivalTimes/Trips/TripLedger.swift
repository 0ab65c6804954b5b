/// Trips of one driver: the current one, the next one of a chained ride, and the last few ended ones.
///
/// The topic is compacted, so the first message of a trip may have any state, and its end may be missing.
package struct TripLedger: Sendable {
    /// Queue position of a trip.
    package enum Slot: UInt8, Sendable, CaseIterable {
        /// The current trip (`queue_position` 0).
        case current
        /// The next trip of a chained ride (`queue_position` 1).
        case next
    }

    package enum Outcome: Sendable, Equatable {
        /// The first message of a trip that has not ended.
        case began(Slot)
        case changed(Slot, from: TripState)
        /// New content in the same state.
        case updated(Slot)
        /// The trip ended; `from` is `nil` for an unknown trip.
        case ended(from: TripState?)
        case repeated
        case rejected(TripRejection)
    }

    package struct Step: Sendable, Equatable {
        package var outcome: Outcome
        /// The trip that was replaced before its end was received.
        package var displaced: TripMessage?
        package var promotedNext = false
        package var conflict: TripRejection.CurrentTrip?

        package init(_ outcome: Outcome) { self.outcome = outcome }

        fileprivate init(_ rejection: TripRejection, against conflict: TripRejection.CurrentTrip) {
            self.init(.rejected(rejection))
            self.conflict = conflict
        }
    }

    private struct EndedTrip: Sendable {
        var tripID: String
        var state: TripState
        var version: Int64?
        var isDriverStatus: Bool
    }

    /// Maximum number of stored ended trips, for evaluating late messages.
    private static let endedLimit = 4

    package private(set) var current: TripMessage?
    package private(set) var next: TripMessage?
    private var ended: [EndedTrip] = []

    package init() {}

    package var isEmpty: Bool { current == nil && next == nil }

    package mutating func apply(_ message: TripMessage) -> Step {
        if let held = current, held.tripID == message.tripID { return advance(held, .current, message) }
        if let held = next, held.tripID == message.tripID { return advance(held, .next, message) }
        if let past = ended.last(where: { $0.tripID == message.tripID }) { return applyLate(message, to: past) }
        // A driver's status has no plan and must not replace a trip that has one.
        if message.isDriverStatus { return Step(.rejected(.tripNotFound)) }
        if message.state.hasEnded {
            remember(message)
            return Step(.ended(from: nil))
        }
        return begin(message)
    }

    /// Ends all trips of the driver (tombstone) and returns those that had not ended.
    package mutating func end() -> [TripMessage] {
        let open = [current, next].compactMap { $0 }
        for trip in open { remember(trip, as: .cancelled) }
        current = nil
        next = nil
        return open
    }

    private mutating func begin(_ message: TripMessage) -> Step {
        let slot: Slot = message.queuePosition == 0 ? .current : .next
        // A late message of a displaced trip must not displace its successor.
        if let held = slot == .current ? current : next, let heldAt = held.changedAt, let at = message.changedAt,
            at < heldAt
        {
            return Step(.staleVersion, against: Self.currentTrip(of: held))
        }
        var step = Step(.began(slot))
        step.displaced = put(message, slot)
        return step
    }

    private mutating func advance(_ held: TripMessage, _ slot: Slot, _ message: TripMessage) -> Step {
        let completed = message.completed(from: held)
        if isRepeated(message, completed, of: held) { return Step(.repeated) }
        let rejection = TripRejection.evaluate(
            from: held.state, version: held.version, to: message.state,
            version: message.isDriverStatus ? nil : message.version)
        if let rejection { return Step(rejection, against: Self.currentTrip(of: held)) }
        if message.state.hasEnded { return finish(held, slot, message) }

        let wanted: Slot = completed.queuePosition == 0 ? .current : .next
        var step = Step(message.state == held.state ? .updated(wanted) : .changed(wanted, from: held.state))
        if wanted == slot {
            _ = put(completed, slot)
        } else {
            step.promotedNext = wanted == .current
            step.displaced = move(completed, to: wanted)
        }
        return step
    }

    private func isRepeated(_ message: TripMessage, _ completed: TripMessage, of held: TripMessage) -> Bool {
        // A driver's status has no version, and the app may repeat it with a new time.
        if message.isDriverStatus { return completed.state == held.state && completed.stage == held.stage }
        let isSame = message.state == held.state && message.version == held.version
        return isSame && (message.version != nil || message == held)
    }

    private mutating func finish(_ held: TripMessage, _ slot: Slot, _ message: TripMessage) -> Step {
        var last = message
        if message.isDriverStatus { last.version = held.version }
        remember(last)
        var step = Step(.ended(from: held.state))
        switch slot {
        case .current:
            current = next
            current?.queuePosition = 0
            step.promotedNext = current != nil
            next = nil
        case .next:
            next = nil
        }
        return step
    }

    /// Moves a trip to the other slot and returns the trip that it displaces; a move to `next` swaps both trips.
    private mutating func move(_ message: TripMessage, to slot: Slot) -> TripMessage? {
        switch slot {
        case .current:
            next = nil
            return put(message, .current)
        case .next:
            let other = next
            next = message
            current = other
            current?.queuePosition = 0
            return nil
        }
    }

    private mutating func put(_ message: TripMessage, _ slot: Slot) -> TripMessage? {
        let before = slot == .current ? current : next
        switch slot {
        case .current: current = message
        case .next: next = message
        }
        return before?.tripID == message.tripID ? nil : before
    }

    private func applyLate(_ message: TripMessage, to past: EndedTrip) -> Step {
        // Trip service and driver both report an end; the second message is a duplicate.
        let isEcho = message.isDriverStatus || past.isDriverStatus
        if message.state == past.state, isEcho || message.version == past.version { return Step(.repeated) }
        let rejection = TripRejection.evaluate(
            from: past.state, version: past.version, to: message.state, version: message.version)
        return Step(
            rejection ?? .invalidTransition,
            against: TripRejection.CurrentTrip(tripID: past.tripID, state: past.state, version: past.version))
    }

    private static func currentTrip(of held: TripMessage) -> TripRejection.CurrentTrip {
        TripRejection.CurrentTrip(tripID: held.tripID, state: held.state, version: held.version)
    }

    private mutating func remember(_ message: TripMessage, as state: TripState? = nil) {
        ended.removeAll { $0.tripID == message.tripID }
        if ended.count == Self.endedLimit { ended.removeFirst() }
        ended.append(
            EndedTrip(
                tripID: message.tripID, state: state ?? message.state, version: message.version,
                isDriverStatus: message.isDriverStatus))
    }
}

extension TripMessage {
    /// Returns this message with missing fields copied from `earlier`; the stage only if the state is the same.
    package func completed(from earlier: TripMessage) -> TripMessage {
        if isDriverStatus { return applied(to: earlier) }
        var whole = self
        if whole.stops.isEmpty { whole.stops = earlier.stops }
        if whole.route == nil { whole.route = earlier.route }
        if whole.routeID == nil { whole.routeID = earlier.routeID }
        if whole.riderID == nil { whole.riderID = earlier.riderID }
        if whole.vehicleNumber == nil { whole.vehicleNumber = earlier.vehicleNumber }
        if whole.factsJSON == nil { whole.factsJSON = earlier.factsJSON }
        if whole.stage == nil, whole.state == earlier.state { whole.stage = earlier.stage }
        return whole
    }

    /// Returns `held` with the fields of this driver's status.
    private func applied(to held: TripMessage) -> TripMessage {
        var whole = held
        (whole.state, whole.triggeredBy, whole.contextJSON) = (state, triggeredBy, contextJSON)
        whole.stage = stage ?? (state == held.state ? held.stage : nil)
        // A phone's clock may be behind; the time of a trip must not go back.
        whole.changedAt = [changedAt, held.changedAt].compactMap { $0 }.max()
        return whole
    }
}
