import Support

/// An active trip: its plan, its progress and the record that follows from both.
///
/// Use on one thread. After each change, call ``eta(at:)`` at most once, then encode the progress, because
/// ``eta(at:)`` stores published arrivals and flags in the progress.
package final class ActiveTrip {
    package let estimator: ArrivalEstimator
    /// The last message, with missing fields copied from earlier messages.
    package private(set) var message: TripMessage
    package private(set) var plan: TripPlan
    package internal(set) var progress: TripProgress
    /// Road cells of the route, created on first use.
    var cells: RouteCells?
    /// Stretch of route driven up to the last fix; `nil` without a plausible match, or while waiting.
    package private(set) var drivenStretch: DrivenStretch?
    /// The legs completed by the last update.
    private(set) var drivenLegs = 0..<0
    /// Errors of estimates whose arrivals the last update observed.
    private(set) var observedErrors: [ObservedError] = []
    var warning: TripWarning?
    private var record: TripEta
    var change: TripEta.Change?
    /// A start or end that ``countDistance(in:arrivedAfter:)`` has not processed yet.
    var boundary: Boundary?

    /// Creates a trip from its first message; ``eta(at:)`` then returns its first record.
    package init(_ message: TripMessage, estimator: ArrivalEstimator, at streamTime: Timestamp) {
        self.estimator = estimator
        self.message = message
        plan = TripPlan(message, settings: estimator.settings)
        progress = TripProgress(
            state: message.state, version: message.version, stopCount: message.stops.count,
            at: message.changedAt ?? streamTime)
        progress.routeVariance = estimator.settings.fusion.initialVariance
        progress.recordedAt = streamTime
        record = TripEta(
            tripID: message.tripID, driverID: message.driverID, kind: message.kind, state: message.state,
            computedAt: streamTime)
        change = Self.change(by: message, from: nil, polyline: message.route?.polyline, at: streamTime)
        if message.state == .inProgress { markBoundary(from: nil, since: progress.stateChangedAt, at: streamTime) }
        fillPlan()
        enterState(at: progress.stateChangedAt)
    }

    /// Updates the progress with an accepted, smoothed position.
    ///
    /// `hasLaterFix`: whether a later fix of the same batch follows. `streamTime`: receipt time of the fix.
    package func update(
        position: TripEta.Position, isHalted: Bool, confidence: Confidence, occupancyPercent: Int?,
        hasLaterFix: Bool = false, at streamTime: Timestamp
    ) {
        guard !progress.state.hasEnded else { return }
        var position = position
        // A device clock that is ahead must not date a fix after its receipt.
        position.fixedAt = min(position.fixedAt, streamTime)
        progress.positionConfidence = confidence
        if let occupancyPercent {
            progress.occupancyPercent = occupancyPercent
            progress.occupancyAt = max(progress.occupancyAt, position.fixedAt)
        }
        let next = progress.nextStop
        let before = progress.match
        let deviation = progress.deviation
        drivenStretch = estimator.advance(&progress, plan, to: position, isHalted: isHalted)
        let age = estimator.ageSeconds(progress, at: streamTime) ?? 0
        progress.isProvisional = hasLaterFix || age > estimator.settings.liveSeconds
        drivenLegs = next..<max(next, progress.nextStop)
        resolveProbes(from: before)
        if deviation != progress.deviation { recordDeviation(from: deviation, at: position.fixedAt) }
    }

    /// Applies a message of this trip that ``TripLedger`` has accepted.
    package func change(_ next: TripMessage, at streamTime: Timestamp) {
        let merged = next.completed(from: message)
        let previous = progress.state
        let isReplanned = merged.stops != message.stops || merged.route != message.route
        let polyline = isReplanned && merged.route?.polyline != message.route?.polyline ? merged.route?.polyline : nil
        message = merged
        change = Self.change(by: merged, from: previous, polyline: polyline, at: streamTime)
        progress.version = merged.version ?? progress.version
        if merged.state != previous {
            let since = progress.stateChangedAt
            progress.state = merged.state
            progress.stateChangedAt = merged.changedAt ?? streamTime
            markBoundary(from: previous, since: since, at: streamTime)
            progress.arrival = ArrivalDetector()
            progress.slowSince = nil
        }
        if isReplanned { replan(at: streamTime) }
        if merged.state.hasEnded { endDeviation(because: .tripEnded, at: streamTime) }
        fillPlan()
        if merged.state != previous || isReplanned { enterState(at: progress.stateChangedAt) }
    }

    /// Bases a chained trip's ETA on the end of `current`; pass `nil` if this trip is current.
    package func chain(after current: ActiveTrip?) {
        guard let current, let stop = current.plan.stops.last, let eta = current.record.stops.last,
            let arrivesAt = eta.arrivesAt, eta.status == .valid, !current.progress.state.hasEnded
        else {
            progress.preceding = nil
            return
        }
        progress.preceding = TripProgress.Preceding(
            coordinate: stop.coordinate, arrivesAt: arrivesAt, metersLeft: eta.distanceMeters ?? 0)
    }

    /// Returns the record at `now` and stores its arrivals as published.
    ///
    /// The value shares storage with the next record, so release it before the next call to avoid a copy.
    package func eta(at now: Timestamp) -> TripEta {
        fill(at: now)
        guard change != nil else { return record }
        defer {
            change = nil
            record.change = nil
        }
        return record
    }

    /// Returns a record if flags changed, the last record was provisional, or a heartbeat is due.
    package func punctuate(at now: Timestamp) -> TripEta? {
        // Stream time may be behind the receipt time of the last record.
        guard !progress.state.hasEnded, now >= progress.recordedAt else { return nil }
        let settings = estimator.settings
        let isSilent = estimator.isSilent(progress, at: now)
        let isStale = estimator.isStale(progress, at: now)
        let isAvailable = estimator.isAvailable(progress, at: now)
        let isHalted = estimator.isHalted(progress, at: now)
        let lastSeen = progress.position.map { max($0.fixedAt, progress.stateChangedAt) } ?? progress.stateChangedAt
        let isDue =
            now.seconds(since: progress.recordedAt) >= settings.heartbeatSeconds
            && now.seconds(since: lastSeen) <= settings.silenceSeconds
        let losesOccupancy =
            estimator.occupancy(progress, at: now) == nil
            && estimator.occupancy(progress, at: progress.recordedAt) != nil
        guard
            isDue || losesOccupancy || isStale != progress.recordedStale || isAvailable != progress.recordedAvailable
                || (isSilent && !progress.recordedSilent) || (isHalted && !progress.recordedHalted)
                || progress.isProvisional
        else { return nil }
        progress.isProvisional = false
        return eta(at: now)
    }

    /// Compares recorded estimates with the arrivals that the last update observed.
    private func resolveProbes(from before: RouteMatch) {
        if !observedErrors.isEmpty { observedErrors.removeAll(keepingCapacity: true) }
        guard !progress.probes.isEmpty else { return }
        var kept = 0
        for index in progress.probes.indices {
            let probe = progress.probes[index]
            if let arrivedAt = arrival(at: probe.stop, from: before) {
                observedErrors.append(
                    ObservedError(
                        etaSeconds: Double(probe.etaSeconds),
                        lateSeconds: arrivedAt.seconds(since: probe.arrivesAt)))
            } else {
                progress.probes[kept] = probe
                kept += 1
            }
        }
        progress.probes.removeLast(progress.probes.count - kept)
    }

    /// Returns the time at which the vehicle reached a stop; `nil` if it has not.
    ///
    /// Includes a ride's last stop, which only a change of state marks as passed.
    private func arrival(at stop: Int, from before: RouteMatch) -> Timestamp? {
        if let passedAt = progress.stops[stop].passedAt { return passedAt }
        guard let along = progress.match.alongMeters, stop == plan.stops.count - 1 else { return nil }
        let end = plan.offsets[stop] - estimator.settings.terminusMeters
        guard along >= end else { return nil }
        return ArrivalEstimator.crossing(of: end, from: before, to: progress.match)
    }

    private func replan(at time: Timestamp) {
        let before = plan
        plan = TripPlan(message, settings: estimator.settings)
        guard plan.fingerprint != before.fingerprint else { return }
        endDeviation(because: .replanned, at: time)
        cells = nil
        progress.match = RouteMatch()
        progress.shown = nil
        progress.routeVariance = estimator.settings.fusion.initialVariance
        progress.expectedSeconds = []
        progress.pieceSeconds = []
        progress.probes = []
        for index in progress.stops.indices { progress.stops[index].publishedAt = nil }
        progress.expectedAt = nil
        progress.closestMeters = nil
        progress.atStop = nil
        if before.stops.map(\.id) == plan.stops.map(\.id) { return }
        // Keeps the state of stops with the same id; only leading passed stops remain passed.
        var states: [String: TripProgress.Stop] = [:]
        for (stop, state) in zip(before.stops, progress.stops) { states[stop.id] = state }
        progress.stops = plan.stops.map { states[$0.id] ?? TripProgress.Stop() }
        progress.nextStop = progress.stops.prefix { $0.passedAt != nil }.count
        for index in progress.nextStop..<progress.stops.count { progress.stops[index].passedAt = nil }
    }

    /// Applies a new state to the stops and to the match, and matches the position to a new route.
    private func enterState(at time: Timestamp) {
        let count = plan.stops.count
        if let pickup = plan.pickup {
            if progress.state.isBeforePickup {
                progress.nextStop = min(progress.nextStop, pickup)
                for index in progress.nextStop..<count { progress.stops[index].passedAt = nil }
            } else if progress.state != .cancelled {
                while progress.nextStop <= pickup { estimator.pass(&progress, at: time) }
            }
        }
        if progress.state == .completed {
            while progress.nextStop < count { estimator.pass(&progress, at: time) }
        }
        guard !progress.state.hasEnded else { return }
        estimator.rematch(&progress, plan)
    }

    /// Sets the record's fields that change only with a message.
    private func fillPlan() {
        record.riderID = message.riderID
        record.routeID = message.routeID
        record.vehicleNumber = message.vehicleNumber
        record.kind = message.kind
        record.stage = message.stage
        record.lastStopID = plan.stops.last?.id
        record.stops = plan.stops.map { stop in
            var entry = TripEta.Stop(id: stop.id, kind: stop.kind, status: .unavailable)
            entry.scheduledAt = stop.scheduledAt
            return entry
        }
    }

    private static func change(
        by message: TripMessage, from previous: TripState?, polyline: String?, at streamTime: Timestamp
    ) -> TripEta.Change {
        TripEta.Change(
            previousState: previous, triggeredBy: message.triggeredBy, changedAt: message.changedAt ?? streamTime,
            routePolyline: polyline, contextJSON: message.contextJSON, factsJSON: message.factsJSON)
    }

    private func fill(at now: Timestamp) {
        record.state = progress.state
        record.version = progress.version
        if let change { record.change = change }
        record.computedAt = now
        record.position = progress.publishedPosition
        record.progressMeters = progress.match.alongMeters
        record.isOffRoute = progress.match.isOffRoute
        record.offRouteMeters = progress.match.distanceMeters
        record.isHalted = estimator.isHalted(progress, at: now)
        record.isSilent = estimator.isSilent(progress, at: now)
        record.isStale = estimator.isStale(progress, at: now)
        // A change by a trip message is published at once, so its record is not provisional.
        record.isProvisional = progress.isProvisional && change == nil
        record.traffic = estimator.traffic(progress)
        record.occupancyPercent = estimator.occupancy(progress, at: now)
        estimator.fillStops(&record, &progress, plan, at: now)
        let next = progress.nextStop
        record.nextStopID = next < plan.stops.count && !progress.state.hasEnded ? plan.stops[next].id : nil
        record.passedStopID = next > 0 ? plan.stops[next - 1].id : nil
        record.passedAt = next > 0 ? progress.stops[next - 1].passedAt : nil
        record.detectedArrivalStopID =
            progress.arrival.hasArrived
            ? estimator.expectedArrivalStop(progress, plan).map { plan.stops[$0].id } : nil
        if progress.state.hasEnded { fillEnd() }
        progress.recordedAt = now
        progress.recordedHalted = record.isHalted
        progress.recordedSilent = record.isSilent
        progress.recordedStale = record.isStale
        progress.recordedAvailable = estimator.isAvailable(progress, at: now)
    }

    private func fillEnd() {
        record.drivenMeters = progress.drivenMeters
        record.snappedMeters = plan.geometry == nil ? nil : progress.snappedMeters
        record.plannedMeters = plan.plannedMeters
        record.fareChecks = plan.fareChecks(of: progress, settings: estimator.settings)
    }
}

extension ActiveTrip {
    /// Maximum bytes that ``encodeProgress(into:)`` writes for the current progress.
    package var maximumProgressByteCount: Int { progress.maximumEncodedByteCount }

    /// Encodes the progress into `buffer` (``maximumProgressByteCount`` bytes) and returns the number of bytes used.
    package func encodeProgress(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        progress.encode(into: buffer, plan: plan)
    }

    /// The versions of encoded progress that this release reads; the first byte is the version.
    package static var progressVersions: StateVersions { TripProgress.versions }

    /// Restores the progress stored with the trip's last record, after earlier messages were replayed.
    ///
    /// - Returns: `false`, without a change, for damaged bytes, an unsupported version or another plan.
    @discardableResult package func restoreProgress(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let restored = TripProgress(bytes, plan: plan) else { return false }
        progress = restored
        // Earlier records have published the changes of the replayed messages.
        change = nil
        boundary = nil
        warning = nil
        return true
    }
}
