/// Trips of one driver: the current trip, the next trip of a chained ride, and the last few ended trips.
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

    /// Maximum number of ended trips that are stored to evaluate late messages.
    private static let endedLimit = 4

    package private(set) var current: TripMessage?
    package private(set) var next: TripMessage?
    private var ended: [EndedTrip] = []

    package init() {}

    package var isEmpty: Bool { current == nil && next == nil }

    package mutating func apply(_ message: TripMessage) -> Step {
        if let stored = current, stored.tripID == message.tripID { return advance(stored, .current, message) }
        if let stored = next, stored.tripID == message.tripID { return advance(stored, .next, message) }
        if let past = ended.last(where: { $0.tripID == message.tripID }) { return applyLate(message, to: past) }
        // A driver's status has no plan and must not replace a trip with a plan.
        if message.isDriverStatus { return Step(.rejected(.tripNotFound)) }
        if message.state.hasEnded {
            recordEnd(message)
            return Step(.ended(from: nil))
        }
        return begin(message)
    }

    /// Ends all trips of the driver (tombstone) and returns the trips that had not ended.
    package mutating func end() -> [TripMessage] {
        let open = [current, next].compactMap { $0 }
        for trip in open { recordEnd(trip, as: .cancelled) }
        current = nil
        next = nil
        return open
    }

    private mutating func begin(_ message: TripMessage) -> Step {
        let slot: Slot = message.queuePosition == 0 ? .current : .next
        // A late message of a displaced trip must not displace its successor.
        if let stored = slot == .current ? current : next, let storedAt = stored.changedAt, let at = message.changedAt,
            at < storedAt
        {
            return Step(.staleVersion, against: Self.currentTrip(of: stored))
        }
        var step = Step(.began(slot))
        step.displaced = put(message, slot)
        return step
    }

    private mutating func advance(_ stored: TripMessage, _ slot: Slot, _ message: TripMessage) -> Step {
        let completed = message.completed(from: stored)
        if isRepeated(message, completed, of: stored) { return Step(.repeated) }
        let rejection = TripRejection.evaluate(
            from: stored.state, version: stored.version, to: message.state,
            version: message.isDriverStatus ? nil : message.version)
        if let rejection { return Step(rejection, against: Self.currentTrip(of: stored)) }
        if message.state.hasEnded { return finish(stored, slot, message) }

        let target: Slot = completed.queuePosition == 0 ? .current : .next
        var step = Step(message.state == stored.state ? .updated(target) : .changed(target, from: stored.state))
        if target == slot {
            _ = put(completed, slot)
        } else {
            step.promotedNext = target == .current
            step.displaced = move(completed, to: target)
        }
        return step
    }

    private func isRepeated(_ message: TripMessage, _ completed: TripMessage, of stored: TripMessage) -> Bool {
        // A driver's status has no version, and the app may repeat it with a new time.
        if message.isDriverStatus { return completed.state == stored.state && completed.stage == stored.stage }
        let isSame = message.state == stored.state && message.version == stored.version
        return isSame && (message.version != nil || message == stored)
    }

    private mutating func finish(_ stored: TripMessage, _ slot: Slot, _ message: TripMessage) -> Step {
        var last = message
        if message.isDriverStatus { last.version = stored.version }
        recordEnd(last)
        var step = Step(.ended(from: stored.state))
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

    private static func currentTrip(of stored: TripMessage) -> TripRejection.CurrentTrip {
        TripRejection.CurrentTrip(tripID: stored.tripID, state: stored.state, version: stored.version)
    }

    private mutating func recordEnd(_ message: TripMessage, as state: TripState? = nil) {
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
        var merged = self
        if merged.stops.isEmpty { merged.stops = earlier.stops }
        if merged.route == nil { merged.route = earlier.route }
        if merged.routeID == nil { merged.routeID = earlier.routeID }
        if merged.riderID == nil { merged.riderID = earlier.riderID }
        if merged.vehicleNumber == nil { merged.vehicleNumber = earlier.vehicleNumber }
        if merged.factsJSON == nil { merged.factsJSON = earlier.factsJSON }
        if merged.stage == nil, merged.state == earlier.state { merged.stage = earlier.stage }
        return merged
    }

    /// Returns the trip `stored` with the fields of this driver's status.
    private func applied(to stored: TripMessage) -> TripMessage {
        var merged = stored
        (merged.state, merged.triggeredBy, merged.contextJSON) = (state, triggeredBy, contextJSON)
        merged.stage = stage ?? (state == stored.state ? stored.stage : nil)
        // A phone's clock may be behind; the time of a trip must not go back.
        merged.changedAt = [changedAt, stored.changedAt].compactMap { $0 }.max()
        return merged
    }
}
