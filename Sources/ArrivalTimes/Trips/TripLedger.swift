import Model

/// The trips of one driver: the one being driven, the next one of a chained ride, and the last few that ended.
///
/// Every message of the trips topic is checked against what is held here. The topic is compacted, so the first message
/// seen of a trip may be in any state, and a trip may disappear without its end having been seen.
package struct TripLedger: Sendable {
    /// Where a trip of the driver stands.
    package enum Slot: UInt8, Sendable, CaseIterable {
        /// The trip being driven (`queue_position` 0).
        case current
        /// The chained ride that follows it (`queue_position` 1).
        case next
    }

    /// What a message meant.
    package enum Outcome: Sendable, Equatable {
        /// The first message seen of a trip that has not ended.
        case began(Slot)
        /// A step of a held trip.
        case changed(Slot, from: TripState)
        /// New content for a held trip whose state stays.
        case updated(Slot)
        /// The trip's last message; `from` is `nil` when the trip was not held.
        case ended(from: TripState?)
        /// Seen before; nothing to do.
        case repeated
        case rejected(TripRejection)
    }

    /// The answer to one message.
    package struct Step: Sendable, Equatable {
        package var outcome: Outcome
        /// A trip that another one took the place of, without its end having been seen.
        package var displaced: TripMessage?
        /// Whether the next trip became the current one with this message.
        package var movedUp = false

        /// What stands against a message that was rejected.
        package var held: TripRejection.Held?

        package init(_ outcome: Outcome) { self.outcome = outcome }

        fileprivate init(_ rejection: TripRejection, against held: TripRejection.Held) {
            self.init(.rejected(rejection))
            self.held = held
        }
    }

    private struct Finished: Sendable {
        var tripID: String
        var state: TripState
        var version: Int64?
        var isDriverStatus: Bool
    }

    /// How many ended trips are remembered, to answer late messages about them.
    private static let finishedLimit = 4

    package private(set) var current: TripMessage?
    package private(set) var next: TripMessage?
    private var finished: [Finished] = []

    package init() {}

    /// Whether the driver has no trip.
    package var isEmpty: Bool { current == nil && next == nil }

    /// Follows `message`, or says why not.
    package mutating func apply(_ message: TripMessage) -> Step {
        if let held = current, held.tripID == message.tripID { return advance(held, .current, message) }
        if let held = next, held.tripID == message.tripID { return advance(held, .next, message) }
        if let past = finished.last(where: { $0.tripID == message.tripID }) { return answer(past, message) }
        // It has no plan, and must not take the place of a trip that has one.
        if message.isDriverStatus { return Step(.rejected(.tripNotFound)) }
        if message.state.hasEnded {
            remember(message)
            return Step(.ended(from: nil))
        }
        return begin(message)
    }

    /// Ends all of the driver's trips (a tombstone); returns those that had not ended.
    package mutating func end() -> [TripMessage] {
        let open = [current, next].compactMap { $0 }
        for trip in open { remember(trip, as: .cancelled) }
        current = nil
        next = nil
        return open
    }

    private mutating func begin(_ message: TripMessage) -> Step {
        let slot: Slot = message.queuePosition == 0 ? .current : .next
        // A late message of a trip that was displaced must not displace its successor in turn.
        if let held = slot == .current ? current : next, let heldAt = held.changedAt, let at = message.changedAt,
            at < heldAt
        {
            return Step(.staleVersion, against: Self.known(held))
        }
        var step = Step(.began(slot))
        step.displaced = put(message, slot)
        return step
    }

    private mutating func advance(_ held: TripMessage, _ slot: Slot, _ message: TripMessage) -> Step {
        let completed = message.completed(from: held)
        if isRepeated(message, completed, of: held) { return Step(.repeated) }
        let rejection = TripRejection.judge(
            from: held.state, version: held.version, to: message.state,
            version: message.isDriverStatus ? nil : message.version)
        if let rejection { return Step(rejection, against: Self.known(held)) }
        if message.state.hasEnded { return finish(held, slot, message) }

        let wanted: Slot = completed.queuePosition == 0 ? .current : .next
        var step = Step(message.state == held.state ? .updated(wanted) : .changed(wanted, from: held.state))
        if wanted == slot {
            _ = put(completed, slot)
        } else {
            step.movedUp = wanted == .current
            step.displaced = move(completed, to: wanted)
        }
        return step
    }

    private func isRepeated(_ message: TripMessage, _ completed: TripMessage, of held: TripMessage) -> Bool {
        // A status has no version that would tell it from the one before, and an app may repeat it with a new time.
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
            step.movedUp = current != nil
            next = nil
        case .next:
            next = nil
        }
        return step
    }

    /// Moves a held trip to the other slot; two held trips change places when the current one is put back, and the
    /// current one is displaced when the next one is called up over it.
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

    private func answer(_ past: Finished, _ message: TripMessage) -> Step {
        // Trip service and driver both tell of an end; the second message says nothing new.
        let isEcho = message.isDriverStatus || past.isDriverStatus
        if message.state == past.state, isEcho || message.version == past.version { return Step(.repeated) }
        let rejection = TripRejection.judge(
            from: past.state, version: past.version, to: message.state, version: message.version)
        return Step(
            rejection ?? .invalidTransition,
            against: TripRejection.Held(tripID: past.tripID, state: past.state, version: past.version))
    }

    private static func known(_ held: TripMessage) -> TripRejection.Held {
        TripRejection.Held(tripID: held.tripID, state: held.state, version: held.version)
    }

    private mutating func remember(_ message: TripMessage, as state: TripState? = nil) {
        finished.removeAll { $0.tripID == message.tripID }
        if finished.count == Self.finishedLimit { finished.removeFirst() }
        finished.append(
            Finished(
                tripID: message.tripID, state: state ?? message.state, version: message.version,
                isDriverStatus: message.isDriverStatus))
    }
}

extension TripMessage {
    /// This message with what it leaves out (stops, route, rider, vehicle, facts) taken from the one before it.
    ///
    /// The stage is taken over while the state stays. A driver's status changes state, stage, time and context alone: all else is
    /// the trip service's.
    package func completed(from earlier: TripMessage) -> TripMessage {
        if isDriverStatus { return moved(earlier) }
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

    /// `held` where this status of its driver puts it.
    private func moved(_ held: TripMessage) -> TripMessage {
        var moved = held
        (moved.state, moved.triggeredBy, moved.contextJSON) = (state, triggeredBy, contextJSON)
        moved.stage = stage ?? (state == held.state ? held.stage : nil)
        // A phone's clock may be slow; a trip does not go back in time for that.
        moved.changedAt = [changedAt, held.changedAt].compactMap { $0 }.max()
        return moved
    }
}
