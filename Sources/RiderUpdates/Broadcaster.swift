import Model
import Support

/// Decides what those who watch a trip are told about each of its records.
///
/// A record tells everything that is known; a rider's phone needs what changed. Deterministic, and all memory is in
/// ``BroadcastState``. Messages of `RiderUpdate.vehiclePosition` and `RiderUpdate.vehicleLeft` belong on the route's
/// channel, all others on the trip's.
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
    /// it was taken later than the last one. A provisional one waits for a newer one, or for its repetition.
    package func append(to updates: inout [RiderUpdate], for eta: TripEta, state: inout BroadcastState) {
        let isRematch = Self.isRematch(eta, state)
        if isRematch { state = Self.afterRematch(state) }
        guard Self.follows(eta, &state) else { return }
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
        let isNew = notePosition(eta, &state)
        guard !eta.isProvisional else { return }
        let before = state.toldFixedAt
        appendLocation(&updates, eta, &state, isNew: isNew)
        appendEta(&updates, eta, &state, isNewPosition: isNew || state.toldFixedAt != before)
    }

    /// Notes the record's position, and whether it is a new one.
    private func notePosition(_ eta: TripEta, _ state: inout BroadcastState) -> Bool {
        guard let position = eta.position, state.fixedAt.map({ position.fixedAt > $0 }) ?? true else { return false }
        state.fixedAt = position.fixedAt
        return true
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
            // A match is the first record of its driver, often in another partition than the request.
            let before = eta.change?.previousState ?? previous ?? eta.state.onlyPrevious
            var change = Self.stateChange(of: eta, from: before)
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

    private func appendLocation(
        _ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState, isNew: Bool
    ) {
        guard eta.state.showsDriver, let position = eta.position else { return }
        // Time does not go back on a rider's map.
        if let told = state.toldFixedAt, position.fixedAt < told { return }
        let isUntold = position.fixedAt != state.toldFixedAt
        let isSilent = isSilent(eta, state)
        let turned = eta.isStale != state.isStale || (isSilent && !state.isSilent)
        // A position that was held back is the newest once a record repeats it. Those records are few.
        // The last position would go on showing an occupancy that is no longer known.
        let losesOccupancy = state.hasSentOccupancy && eta.occupancyPercent == nil
        guard turned || losesOccupancy || (isUntold && (!isNew || isDue(position, state))) else { return }
        if isUntold { noteTelling(of: position, &state, isNew: isNew) }
        state.isStale = eta.isStale
        state.isSilent = isSilent
        updates.append(.driverLocation(location(position, eta, state)))
        guard eta.kind == .transit, let vehicle = vehicle(position, eta) else { return }
        state.hasSentOccupancy = eta.occupancyPercent != nil
        state.routeID = eta.routeID
        updates.append(.vehiclePosition(vehicle))
    }

    /// Whether the vehicle has been silent for long enough to say so, which depends on how often it is heard.
    private func isSilent(_ eta: TripEta, _ state: BroadcastState) -> Bool {
        guard eta.isSilent, let age = eta.ageSeconds else { return false }
        guard state.intervals.count >= Self.rhythmIntervals, let median = state.intervals.median else { return true }
        return age >= settings.silentIntervals * Double(median) / 1000
    }

    /// Fewer intervals make no rhythm.
    static let rhythmIntervals = 3

    /// Whether the trip's watchers may be told a new position.
    ///
    /// By the times at which positions were taken: those of a queue that is emptied come all at once, and the newest
    /// of them must not wait for the one before it.
    private func isDue(_ position: TripEta.Position, _ state: BroadcastState) -> Bool {
        state.locationDueAt.map {
            position.fixedAt.milliseconds >= $0.milliseconds - settings.locationToleranceMilliseconds
        } ?? true
    }

    /// Longer silences are no rhythm.
    private static let longestIntervalMilliseconds: Int64 = 300_000

    private func noteTelling(of position: TripEta.Position, _ state: inout BroadcastState, isNew: Bool) {
        if let before = state.toldFixedAt {
            let interval = position.fixedAt.milliseconds &- before.milliseconds
            state.intervals.add(Int32(truncatingIfNeeded: min(interval, Self.longestIntervalMilliseconds)))
        }
        state.toldFixedAt = position.fixedAt
        // One that was held back does not make the next one wait.
        guard isNew else { return }
        let due = max(state.locationDueAt ?? position.fixedAt, position.fixedAt)
        state.locationDueAt = Timestamp(milliseconds: due.milliseconds + settings.locationIntervalMilliseconds)
    }

    private func location(
        _ position: TripEta.Position, _ eta: TripEta, _ state: BroadcastState
    ) -> RiderUpdate.DriverLocation {
        let usual = state.intervals.median(ofLast: BroadcastState.hintIntervalCount)
        var hint = usual.map(Int64.init) ?? settings.firstHintMilliseconds
        // Positions that come faster than they are passed on reach the rider at the rate of passing on.
        hint = max(hint, settings.locationIntervalMilliseconds)
        hint = max(settings.shortestHintMilliseconds, min(settings.longestHintMilliseconds, hint))
        return RiderUpdate.DriverLocation(
            coordinate: position.coordinate, headingDegrees: position.headingDegrees,
            speedMetersPerSecond: position.speedMetersPerSecond, interpolationMilliseconds: Int(hint),
            fixedAt: position.fixedAt, isStale: eta.isStale, staleSeconds: eta.staleSeconds ?? 0)
    }

    /// The vehicle as riders of its route see it; `nil` for a run without a route.
    private func vehicle(_ position: TripEta.Position, _ eta: TripEta) -> RiderUpdate.VehiclePosition? {
        guard eta.routeID != nil else { return nil }
        let next = eta.stops.first { $0.id == eta.nextStopID && $0.status != .passed }
        let isOver = !eta.stops.isEmpty && eta.stops.allSatisfy { $0.status == .passed }
        // An id is always there: with no stop ahead it is that of the last one, and a run without stops has no name
        // for one but its own.
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
