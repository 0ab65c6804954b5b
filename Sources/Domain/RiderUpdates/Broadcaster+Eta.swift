extension Broadcaster {
    private enum Decision {
        case skip
        /// An increase that the next record must confirm.
        case confirm
        case send
    }

    func appendEta(_ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState, isNewPosition: Bool) {
        guard !eta.stops.isEmpty else { return }
        if state.stops.count != eta.stops.count {
            state.stops = Array(repeating: BroadcastState.Stop(), count: eta.stops.count)
            state.etaAt = nil
        }
        let isFirstOrChanged = state.etaAt == nil || eta.change != nil
        // ETAs count down on the client, so they are refreshed only with a new position.
        let waited = state.etaAt.map { eta.computedAt.seconds(since: $0) } ?? .infinity
        let isDue = isNewPosition && waited >= refreshSeconds(state)
        // Evaluates every stop, to mark the stops that need confirmation.
        var send = isFirstOrChanged || isDue || eta.isStale != state.isEtaStale
        for index in eta.stops.indices {
            switch decision(on: eta.stops[index], state.stops[index], of: eta) {
            case .skip: state.stops[index].awaitsConfirmation = false
            case .confirm: state.stops[index].awaitsConfirmation = true
            case .send: send = true
            }
        }
        if send { appendUpdate(&updates, eta, &state) }
        // Stale ETAs do not notify the rider, because they only count down.
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

    /// Returns the refresh interval, at least three times the usual interval between the vehicle's positions.
    private func refreshSeconds(_ state: BroadcastState) -> Double {
        guard state.intervals.count >= Self.minimumIntervals, let median = state.intervals.median else {
            return settings.refreshSeconds
        }
        return max(settings.refreshSeconds, 3 * Double(median) / 1000)
    }

    /// Decides whether to send a stop by comparing it with the stop as last sent.
    private func decision(on stop: TripEta.Stop, _ sent: BroadcastState.Stop, of eta: TripEta) -> Decision {
        let (kind, now) = (eta.kind, eta.computedAt)
        if kind == .transit, stop.status == .passed, sent.status == .valid { return passingDecision(stop, sent) }
        guard stop.status == sent.status else { return .send }
        // Stale ETAs count down on the client.
        if eta.isStale { return .skip }
        // At distant stops of a run, changes of flag and confidence can wait for the next update.
        let isNear = stop.arrivesAt.map { $0.seconds(since: now) <= settings.nearSeconds } ?? true
        if isNear || kind == .ride {
            guard stop.delay == sent.delay else { return .send }
            // Higher confidence is expected as the arrival comes nearer; lower confidence is sent.
            guard (stop.confidence?.rawValue ?? 0) >= (sent.confidence?.rawValue ?? 0) else { return .send }
        }
        guard stop.status == .valid, let arrival = stop.arrivesAt, let last = sent.arrivesAt else { return .skip }
        let moved = arrival.seconds(since: last)
        let remaining = max(0, arrival.seconds(since: now))
        guard abs(moved) > max(settings.etaMovedSeconds, settings.etaMovedShare * remaining) else { return .skip }
        if moved > 0, moved < settings.confirmedIncreaseSeconds, !sent.awaitsConfirmation { return .confirm }
        return .send
    }

    /// Sends a passed stop only if it was passed early, because vehicle positions contain the last passed stop.
    private func passingDecision(_ stop: TripEta.Stop, _ sent: BroadcastState.Stop) -> Decision {
        guard let passed = stop.arrivesAt, let last = sent.arrivesAt else { return .send }
        return last.seconds(since: passed) > settings.etaMovedSeconds ? .send : .skip
    }

    /// Appends a notification if the arrival that the rider waits for has changed considerably.
    private func appendMoved(_ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState) {
        guard eta.kind == .ride, eta.state.showsDriver,
            let awaited = eta.stops.firstIndex(where: { $0.status != .passed }),
            // During the ride, the rider waits for the last stop.
            case let index = eta.state == .accepted ? awaited : eta.stops.count - 1,
            let arrival = eta.stops[index].arrivesAt, eta.stops[index].status == .valid
        else { return }
        guard state.notifiedStop == index, let last = state.notifiedArrivesAt else {
            state.notifiedStop = index
            state.notifiedArrivesAt = arrival
            return
        }
        let moved = arrival.seconds(since: last)
        guard abs(moved) > settings.notifiedMoveSeconds else { return }
        state.notifiedArrivesAt = arrival
        updates.append(
            .notification(
                RiderUpdate.Notification(
                    kind: .etaMoved, priority: .normal, etaChangeSeconds: Int(moved.rounded()))))
    }
}

extension RiderUpdate.EtaUpdate {
    /// Makes seconds relative to the position's timestamp.
    fileprivate mutating func countFromPosition() {
        let age = staleSeconds ?? 0
        for index in stops.indices where stops[index].status == .valid {
            // Wrapping addition, because values read from the topic may be any number.
            stops[index].seconds = stops[index].seconds.map { $0 &+ age }
            stops[index].minSeconds = stops[index].minSeconds.map { $0 &+ age }
            stops[index].maxSeconds = stops[index].maxSeconds.map { $0 &+ age }
        }
    }
}
