import Model

extension Broadcaster {
    /// Whether a record's ETAs are worth sending.
    private enum Worth {
        case silent
        /// An increase that has to be confirmed by the next record.
        case waiting
        case send
    }

    func appendEta(
        _ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState,
        isNewPosition: Bool
    ) {
        guard !eta.stops.isEmpty else { return }
        if state.stops.count != eta.stops.count {
            state.stops = Array(repeating: BroadcastState.Stop(), count: eta.stops.count)
            state.etaAt = nil
        }
        let isNews = state.etaAt == nil || eta.change != nil
        // Without a new position there is nothing to refresh: what was told counts down by itself.
        let waited = state.etaAt.map { eta.computedAt.seconds(since: $0) } ?? .infinity
        let isDue = isNewPosition && waited >= refreshSeconds(state)
        // Every stop is looked at, so that one that waits for its confirmation is marked as such.
        var send = isNews || isDue || eta.isStale != state.isEtaStale
        for index in eta.stops.indices {
            switch judge(eta.stops[index], state.stops[index], of: eta) {
            case .silent: state.stops[index].awaitsConfirmation = false
            case .waiting: state.stops[index].awaitsConfirmation = true
            case .send: send = true
            }
        }
        if send { appendUpdate(&updates, eta, &state) }
        // An ETA that ran out while nothing was heard has not moved.
        if !eta.isStale { appendMoved(&updates, eta, &state) }
    }

    private func appendUpdate(_ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState) {
        var update = RiderUpdate.EtaUpdate(
            computedAt: eta.computedAt, stops: eta.stops, routePolyline: eta.change?.routePolyline,
            traffic: eta.traffic)
        update.isStale = eta.isStale
        update.staleSeconds = eta.staleSeconds
        if eta.isStale { update.countFromPosition() }
        updates.append(.eta(update))
        state.etaAt = eta.computedAt
        state.isEtaStale = eta.isStale
        state.traffic = eta.traffic
        for index in eta.stops.indices {
            let stop = eta.stops[index]
            state.stops[index].status = stop.status
            state.stops[index].delay = stop.delay
            state.stops[index].confidence = stop.confidence
            state.stops[index].arrivesAt = stop.arrivesAt
            state.stops[index].awaitsConfirmation = false
        }
    }

    /// Vehicles that send seldom are refreshed as seldom as they count as silent: after three of their intervals.
    private func refreshSeconds(_ state: BroadcastState) -> Double {
        guard state.intervals.count >= Self.rhythmIntervals, let median = state.intervals.median else {
            return settings.refreshSeconds
        }
        return max(settings.refreshSeconds, 3 * Double(median) / 1000)
    }

    /// Compares arrival times, which is the same as comparing ETAs after counting the one sent down to now.
    private func judge(_ stop: TripEta.Stop, _ sent: BroadcastState.Stop, of eta: TripEta) -> Worth {
        let (kind, now) = (eta.kind, eta.computedAt)
        if kind == .transit, stop.status == .passed, sent.status == .valid {
            return judgePassing(stop, sent)
        }
        guard stop.status == sent.status else { return .send }
        // What was told as stale counts down by itself until something is heard.
        if eta.isStale { return .silent }
        // Riders far ahead on a long line have time to hear of it with the next message.
        let isNear = stop.arrivesAt.map { $0.seconds(since: now) <= settings.nearSeconds } ?? true
        if isNear || kind == .ride {
            guard stop.delay == sent.delay else { return .send }
            // That an arrival gets surer as it comes nearer is no news, but that it got less sure is.
            let (confidence, told) = (stop.confidence?.rawValue ?? 0, sent.confidence?.rawValue ?? 0)
            guard confidence >= told else { return .send }
        }
        guard stop.status == .valid, let arrival = stop.arrivesAt, let told = sent.arrivesAt else { return .silent }
        let moved = arrival.seconds(since: told)
        let remaining = max(0, arrival.seconds(since: now))
        guard abs(moved) > max(settings.etaMovedSeconds, settings.etaMovedShare * remaining) else { return .silent }
        if moved > 0, moved < settings.confirmedIncreaseSeconds, !sent.awaitsConfirmation { return .waiting }
        return .send
    }

    /// A stop passed when it was to be passed is no news: riders have counted down to it, and the vehicle's own
    /// messages name it.
    private func judgePassing(_ stop: TripEta.Stop, _ sent: BroadcastState.Stop) -> Worth {
        guard let passed = stop.arrivesAt, let told = sent.arrivesAt else { return .send }
        return told.seconds(since: passed) > settings.etaMovedSeconds ? .send : .silent
    }

    /// A notification when the arrival that a rider waits for moved far.
    private func appendMoved(_ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState) {
        guard eta.kind == .ride, eta.state.showsDriver,
            let awaited = eta.stops.firstIndex(where: { $0.status != .passed }),
            // On the way, a rider waits for the end and not for the stops between.
            case let index = eta.state == .accepted ? awaited : eta.stops.count - 1,
            let arrival = eta.stops[index].arrivesAt, eta.stops[index].status == .valid
        else { return }
        guard state.notifiedStop == index, let told = state.notifiedArrivesAt else {
            state.notifiedStop = index
            state.notifiedArrivesAt = arrival
            return
        }
        let moved = arrival.seconds(since: told)
        guard abs(moved) > settings.notifiedMoveSeconds else { return }
        state.notifiedArrivesAt = arrival
        updates.append(
            .notification(
                RiderUpdate.Notification(
                    moment: .etaMoved, priority: .normal, etaChangeSeconds: Int(moved.rounded()))))
    }
}

extension RiderUpdate.EtaUpdate {
    /// Has the seconds count from the time of the position: a rider sees when the vehicle was last heard, and what was
    /// expected then.
    fileprivate mutating func countFromPosition() {
        let age = staleSeconds ?? 0
        for index in stops.indices where stops[index].status == .valid {
            // What was read may be any number.
            stops[index].seconds = stops[index].seconds.map { $0 &+ age }
            stops[index].minSeconds = stops[index].minSeconds.map { $0 &+ age }
            stops[index].maxSeconds = stops[index].maxSeconds.map { $0 &+ age }
        }
    }
}
