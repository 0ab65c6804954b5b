/// Decides what those who watch a trip are told about each of its records.
///
/// A record tells everything that is known; a rider's phone needs what changed. Deterministic, and all memory is in
/// ``BroadcastState``. Messages of `RiderUpdate.vehiclePosition` belong on the route's channel, all others on the
/// trip's.
package struct Broadcaster: Sendable {
    package let settings: BroadcastSettings

    package init(settings: BroadcastSettings = BroadcastSettings()) { self.settings = settings }

    /// The messages that `eta` is worth, in the order to send them.
    package func updates(for eta: TripEta, state: inout BroadcastState) -> [RiderUpdate] {
        var updates: [RiderUpdate] = []
        append(to: &updates, for: eta, state: &state)
        return updates
    }

    /// Appends the messages that `eta` is worth, in the order to send them; allocates nothing when there are none.
    ///
    /// Whether the record came from a fix, a trip message or a punctuation makes no difference: a position is new when
    /// it was taken later than the last one.
    package func append(to updates: inout [RiderUpdate], for eta: TripEta, state: inout BroadcastState) {
        let isRematch = Self.isRematch(eta, state)
        if isRematch { state = Self.afterRematch(state) }
        guard Self.follows(eta, &state) else { return }
        appendStateChange(&updates, eta, &state, isRematch: isRematch)
        if eta.state.hasEnded {
            let (ended, driver) = (state.tripState, state.driverHash)
            state = BroadcastState()
            (state.tripState, state.driverHash) = (ended, driver)
            state.hasEnded = true
            return
        }
        let before = state.fixedAt
        appendLocation(&updates, eta, &state)
        appendEta(&updates, eta, &state, isNewPosition: state.fixedAt != before)
    }

    // MARK: State

    private func appendStateChange(
        _ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState, isRematch: Bool
    ) {
        let previous = state.tripState
        let isNews = Self.noteStageAndFacts(of: eta, &state)
        if previous != eta.state || isRematch {
            state.tripState = eta.state
            state.detectedArrivalStopID = nil
            var change = Self.stateChange(of: eta, from: eta.change?.previousState ?? previous)
            change.isRematched = isRematch
            updates.append(.stateChanged(change))
            // A state met in the middle of a trip (nothing is remembered, and the record is no step) is no moment to
            // notify of: it came before.
            let isStep = previous != nil || eta.change.map { $0.previousState != eta.state } ?? false
            if isStep, eta.kind == .ride, var notification = Self.notification(of: eta.state) {
                notification.triggeredBy = eta.change?.triggeredBy
                notification.factsJSON = eta.change?.factsJSON
                updates.append(.notification(notification))
            }
        } else if isNews {
            updates.append(.stateChanged(Self.stateChange(of: eta, from: eta.state)))
        }
        guard eta.detectedArrivalStopID != state.detectedArrivalStopID else { return }
        // Told when it is noticed; that the vehicle rolled on is no news, and a second stop there is not told twice.
        guard let stop = eta.detectedArrivalStopID else { return }
        state.detectedArrivalStopID = stop
        updates.append(
            .stateChanged(
                RiderUpdate.StateChange(
                    previousState: eta.state, state: eta.state, triggeredBy: eta.change?.triggeredBy,
                    changedAt: eta.computedAt, contextJSON: eta.change?.contextJSON, detectedArrivalStopID: stop,
                    stage: eta.stage)))
    }

    private static func notification(of state: TripState) -> RiderUpdate.Notification? {
        switch state {
        case .requested: nil
        case .accepted: RiderUpdate.Notification(moment: .driverAccepted, priority: .high)
        case .arrived: RiderUpdate.Notification(moment: .driverArrived, priority: .high)
        case .inProgress: RiderUpdate.Notification(moment: .tripStarted, priority: .normal)
        case .completed: RiderUpdate.Notification(moment: .tripCompleted, priority: .normal)
        case .cancelled: RiderUpdate.Notification(moment: .tripCancelled, priority: .high)
        }
    }

    // MARK: Position

    private func appendLocation(_ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState) {
        guard let position = eta.position else { return }
        let isNew = state.fixedAt.map { position.fixedAt > $0 } ?? true
        if isNew {
            if let before = state.fixedAt { noteInterval(position.fixedAt, before, &state) }
            state.fixedAt = position.fixedAt
        }
        guard eta.state.showsDriver else { return }
        let turned = eta.isStale != state.isStale
        let isDue = state.locationDueAt.map {
            eta.computedAt.milliseconds >= $0.milliseconds - settings.locationToleranceMilliseconds
        }
        // A rider who begins to see the driver is shown the last known position, however long it has been known.
        guard turned || (isNew && isDue ?? true) || state.locationDueAt == nil else { return }
        state.isStale = eta.isStale
        let due = max(state.locationDueAt ?? eta.computedAt, eta.computedAt)
        state.locationDueAt = Timestamp(milliseconds: due.milliseconds + settings.locationIntervalMilliseconds)
        updates.append(.driverLocation(location(position, eta, state)))
        if eta.kind == .transit, eta.routeID != nil { updates.append(.vehiclePosition(vehicle(position, eta))) }
    }

    /// Longer silences are no rhythm.
    private static let longestIntervalMilliseconds: Int64 = 300_000

    private func noteInterval(_ now: Timestamp, _ before: Timestamp, _ state: inout BroadcastState) {
        let longest = Self.longestIntervalMilliseconds
        state.intervals.add(
            Int32(truncatingIfNeeded: min(now.milliseconds - before.milliseconds, longest)))
    }

    private func location(
        _ position: TripEta.Position, _ eta: TripEta, _ state: BroadcastState
    ) -> RiderUpdate.DriverLocation {
        var hint = state.intervals.median.map(Int64.init) ?? settings.firstHintMilliseconds
        // Positions that come faster than they are passed on reach the rider at the rate of passing on.
        hint = max(hint, settings.locationIntervalMilliseconds)
        hint = max(settings.shortestHintMilliseconds, min(settings.longestHintMilliseconds, hint))
        let age = max(0, eta.computedAt.seconds(since: position.fixedAt))
        return RiderUpdate.DriverLocation(
            coordinate: position.coordinate, headingDegrees: position.headingDegrees,
            speedMetersPerSecond: position.speedMetersPerSecond, interpolationMilliseconds: Int(hint),
            serverAt: eta.computedAt, isStale: eta.isStale, staleSeconds: eta.isStale ? Int(age) : 0)
    }

    private func vehicle(_ position: TripEta.Position, _ eta: TripEta) -> RiderUpdate.VehiclePosition {
        let next = eta.stops.first { $0.id == eta.nextStopID && $0.status != .passed }
        return RiderUpdate.VehiclePosition(
            vehicleNumber: eta.driverID, etaSeconds: next?.seconds, coordinate: position.coordinate,
            isHalted: eta.isHalted, nextStopID: eta.nextStopID, lastStopID: eta.lastStopID,
            passedStopID: eta.passedStopID, passedAt: eta.passedAt, bearingDegrees: position.headingDegrees,
            at: position.fixedAt, isStale: eta.isStale, occupancy: occupancy(eta.occupancyPercent))
    }

    private func occupancy(_ percent: Int?) -> RiderUpdate.VehiclePosition.Occupancy {
        guard let percent else { return .unknown }
        if percent >= settings.fullPercent { return .full }
        if percent >= settings.standingPercent { return .standing }
        return percent >= settings.fewSeatsPercent ? .fewSeats : .manySeats
    }
}
