import Support

/// Conversion of a trip's ETA records into rider updates: the changes since the last update.
///
/// Deterministic; all state is in ``BroadcastState``. `RiderUpdate.vehiclePosition` and `.vehicleLeft` are sent on the
/// route's channel, all other updates on the trip's.
package struct Broadcaster: Sendable {
    package let settings: BroadcastSettings

    package init(settings: BroadcastSettings = BroadcastSettings()) { self.settings = settings }

    /// Returns the updates for `eta`, in sending order.
    package func updates(for eta: TripEta, state: inout BroadcastState) -> [RiderUpdate] {
        var updates: [RiderUpdate] = []
        append(to: &updates, for: eta, state: &state)
        return updates
    }

    /// Appends the updates for `eta`, in sending order; allocates nothing if there are none.
    ///
    /// A position is new if its timestamp is newer than the last position's, for every cause of the record. A
    /// provisional record sends no position and no ETAs; a later record has a newer position or repeats this one.
    package func append(to updates: inout [RiderUpdate], for eta: TripEta, state: inout BroadcastState) {
        let isRematch = Self.isRematch(eta, state)
        if isRematch { state = Self.afterRematch(state) }
        guard Self.isRelevant(eta, &state) else { return }
        if eta.isDisplaced { return appendDeparture(&updates, eta, &state) }
        appendStateChange(&updates, eta, &state, isRematch: isRematch)
        if eta.state.hasEnded {
            appendDeparture(&updates, eta, &state)
            let (ended, driver) = (state.tripState, state.driverHash)
            state = BroadcastState()
            (state.tripState, state.driverHash) = (ended, driver)
            state.hasEnded = true
            return
        }
        if let sent = state.routeID, sent != eta.routeID { appendDeparture(&updates, eta, &state) }
        let isNew = updatePosition(eta, &state)
        guard !eta.isProvisional else { return }
        let before = state.sentFixedAt
        appendLocation(&updates, eta, &state, isNew: isNew)
        appendEta(&updates, eta, &state, isNewPosition: isNew || state.sentFixedAt != before)
    }

    /// Stores the timestamp of the record's position; returns whether the position is new.
    private func updatePosition(_ eta: TripEta, _ state: inout BroadcastState) -> Bool {
        guard let position = eta.position, state.fixedAt.map({ position.fixedAt > $0 }) ?? true else { return false }
        state.fixedAt = position.fixedAt
        return true
    }

    // MARK: State

    private func appendStateChange(
        _ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState, isRematch: Bool
    ) {
        let previous = state.tripState
        let hasNewDetails = Self.updateStageAndFacts(of: eta, &state)
        if previous != eta.state || isRematch {
            state.tripState = eta.state
            state.detectedArrivalStopID = nil
            // A driver's first record has no previous state, and the request is often in another partition.
            let before = eta.change?.previousState ?? previous ?? eta.state.onlyPrevious
            var change = Self.stateChange(of: eta, from: before)
            change.isRematched = isRematch
            updates.append(.stateChanged(change))
            // Omits the notification if the sent state was lost and the record does not change the trip's state.
            let isStep = previous != nil || eta.change.map { $0.previousState != eta.state } ?? false
            if isStep, eta.kind == .ride, var notification = Self.notification(of: eta.state) {
                notification.triggeredBy = eta.change?.triggeredBy
                notification.factsJSON = eta.change?.factsJSON
                updates.append(.notification(notification))
            }
        } else if hasNewDetails {
            updates.append(.stateChanged(Self.stateChange(of: eta, from: eta.state)))
        }
        guard eta.detectedArrivalStopID != state.detectedArrivalStopID else { return }
        // A detected arrival is sent once; its end is not sent.
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
        case .accepted: RiderUpdate.Notification(kind: .driverAccepted, priority: .high)
        case .arrived: RiderUpdate.Notification(kind: .driverArrived, priority: .high)
        case .inProgress: RiderUpdate.Notification(kind: .tripStarted, priority: .normal)
        case .completed: RiderUpdate.Notification(kind: .tripCompleted, priority: .normal)
        case .cancelled: RiderUpdate.Notification(kind: .tripCancelled, priority: .high)
        }
    }

    // MARK: Position

    private func appendLocation(
        _ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState, isNew: Bool
    ) {
        guard eta.state.showsDriver, let position = eta.position else { return }
        // Positions must not go back in time.
        if let last = state.sentFixedAt, position.fixedAt < last { return }
        let isUnsent = position.fixedAt != state.sentFixedAt
        let isSilent = isSilent(eta, state)
        let hasNewStatus = eta.isStale != state.isStale || (isSilent && !state.isSilent)
        // A position that was skipped is sent when a record repeats it as the newest. A lost occupancy is sent, because
        // the last position would continue to show it.
        let losesOccupancy = state.hasSentOccupancy && eta.occupancyPercent == nil
        guard hasNewStatus || losesOccupancy || (isUnsent && (!isNew || isDue(position, state))) else { return }
        if isUnsent { recordSent(of: position, &state, isNew: isNew) }
        state.isStale = eta.isStale
        state.isSilent = isSilent
        updates.append(.driverLocation(location(position, eta, state)))
        guard eta.kind == .transit, let vehicle = vehicle(position, eta) else { return }
        state.hasSentOccupancy = eta.occupancyPercent != nil
        state.routeID = eta.routeID
        updates.append(.vehiclePosition(vehicle))
    }

    /// Returns whether to report silence, depending on the vehicle's usual interval.
    private func isSilent(_ eta: TripEta, _ state: BroadcastState) -> Bool {
        guard eta.isSilent, let age = eta.ageSeconds else { return false }
        guard state.intervals.count >= Self.minimumIntervals, let median = state.intervals.median else { return true }
        return age >= settings.silentIntervals * Double(median) / 1000
    }

    /// Minimum number of intervals from which a usual interval is derived.
    static let minimumIntervals = 3

    /// Returns whether a position is due, by the positions' timestamps, because a phone's queue arrives at once.
    private func isDue(_ position: TripEta.Position, _ state: BroadcastState) -> Bool {
        state.locationDueAt.map {
            position.fixedAt.milliseconds >= $0.milliseconds - settings.locationToleranceMilliseconds
        } ?? true
    }

    private static let longestIntervalMilliseconds: Int64 = 300_000

    private func recordSent(of position: TripEta.Position, _ state: inout BroadcastState, isNew: Bool) {
        if let before = state.sentFixedAt {
            let interval = position.fixedAt.milliseconds &- before.milliseconds
            state.intervals.add(Int32(truncatingIfNeeded: min(interval, Self.longestIntervalMilliseconds)))
        }
        state.sentFixedAt = position.fixedAt
        // A repeated position does not delay the next position.
        guard isNew else { return }
        let due = max(state.locationDueAt ?? position.fixedAt, position.fixedAt)
        state.locationDueAt = Timestamp(milliseconds: due.milliseconds + settings.locationIntervalMilliseconds)
    }

    private func location(
        _ position: TripEta.Position, _ eta: TripEta, _ state: BroadcastState
    ) -> RiderUpdate.DriverLocation {
        let usual = state.intervals.median(ofLast: BroadcastState.hintIntervalCount)
        var hint = usual.map(Int64.init) ?? settings.firstHintMilliseconds
        // The average interval between sent positions is at least this setting.
        hint = max(hint, settings.locationIntervalMilliseconds)
        hint = max(settings.shortestHintMilliseconds, min(settings.longestHintMilliseconds, hint))
        return RiderUpdate.DriverLocation(
            coordinate: position.coordinate, headingDegrees: position.headingDegrees,
            speedMetersPerSecond: position.speedMetersPerSecond, interpolationMilliseconds: Int(hint),
            fixedAt: position.fixedAt, isStale: eta.isStale, staleSeconds: eta.staleSeconds ?? 0)
    }

    /// Returns the vehicle position for the route's channel; `nil` without a route.
    private func vehicle(_ position: TripEta.Position, _ eta: TripEta) -> RiderUpdate.VehiclePosition? {
        guard eta.routeID != nil else { return nil }
        let next = eta.stops.first { $0.id == eta.nextStopID && $0.status != .passed }
        let isOver = !eta.stops.isEmpty && eta.stops.allSatisfy { $0.status == .passed }
        // Stop ids are required, so the last stop is used if none is ahead, and the trip id if there are no stops.
        let last = eta.lastStopID ?? eta.tripID
        var vehicle = RiderUpdate.VehiclePosition(
            streamID: eta.tripID, vehicleNumber: Self.vehicleNumber(of: eta), coordinate: position.coordinate,
            nextStopID: eta.nextStopID ?? last, lastStopID: last, at: position.fixedAt)
        let age = eta.staleSeconds ?? 0
        vehicle.etaSeconds = isOver ? -1 : next?.seconds.map { $0 &+ age }
        vehicle.minEtaSeconds = next?.minSeconds.map { $0 &+ age }
        vehicle.maxEtaSeconds = next?.maxSeconds.map { $0 &+ age }
        vehicle.distanceMeters = next?.distanceMeters.map { Int(max(0, min($0, 1e9)).rounded()) }
        vehicle.isHalted = eta.isHalted
        vehicle.passedStopID = eta.passedStopID
        vehicle.passedAt = eta.passedAt
        vehicle.bearingDegrees = position.headingDegrees.map { Int($0.rounded()) % 360 }
        vehicle.isStale = eta.isStale
        vehicle.staleSeconds = age
        vehicle.occupancy = occupancy(eta.occupancyPercent)
        return vehicle
    }

    private func occupancy(_ percent: Int?) -> RiderUpdate.VehiclePosition.Occupancy {
        guard let percent else { return .unknown }
        if percent >= settings.fullPercent { return .full }
        if percent >= settings.standingPercent { return .standing }
        return percent >= settings.fewSeatsPercent ? .fewSeats : .manySeats
    }
}
