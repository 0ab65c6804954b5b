import Support

/// Changes of the driver, the route and a trip's stage and facts.
extension Broadcaster {
    /// Returns whether the record is the trip's first record with a driver other than the known one.
    static func isRematch(_ eta: TripEta, _ state: BroadcastState) -> Bool {
        guard let change = eta.change, change.previousState == nil, !eta.state.hasEnded, let known = state.driverHash
        else { return false }
        return known != TextHash.of(eta.driverID)
    }

    /// Returns the state after another driver took over the trip, with the previous trip state, facts and route.
    static func afterRematch(_ state: BroadcastState) -> BroadcastState {
        var next = BroadcastState()
        next.tripState = state.tripState
        next.factsHash = state.factsHash
        next.routeID = state.routeID
        return next
    }

    /// Returns whether the trip has not ended and the record is of its driver; stores an unknown driver.
    static func isRelevant(_ eta: TripEta, _ state: inout BroadcastState) -> Bool {
        let driver = TextHash.of(eta.driverID)
        let known = state.driverHash ?? driver
        state.driverHash = known
        return known == driver && !state.hasEnded
    }

    /// Appends the removal of a run from its route's channel, which may show it even if the state was lost.
    func appendDeparture(_ updates: inout [RiderUpdate], _ eta: TripEta, _ state: inout BroadcastState) {
        guard state.routeID != nil || (eta.kind == .transit && eta.routeID != nil) else { return }
        state.routeID = nil
        state.hasSentOccupancy = false
        updates.append(
            .vehicleLeft(
                RiderUpdate.VehicleLeft(
                    streamID: eta.tripID, vehicleNumber: Self.vehicleNumber(of: eta), state: eta.state,
                    at: eta.change?.changedAt ?? eta.computedAt)))
    }

    /// Returns the vehicle number shown to riders, never the driver id.
    static func vehicleNumber(of eta: TripEta) -> String { eta.vehicleNumber ?? eta.tripID }

    /// Updates stage and facts; returns whether a change must be sent even if the state is the same.
    static func updateStageAndFacts(of eta: TripEta, _ state: inout BroadcastState) -> Bool {
        let isNewStage = eta.stage != nil && eta.stage != state.stage
        state.stage = eta.stage
        guard let facts = eta.change?.factsJSON else { return isNewStage }
        let hash = TextHash.of(facts)
        defer { state.factsHash = hash }
        return isNewStage || hash != state.factsHash
    }

    /// Returns the update about the record's state, with the fields of its trip message.
    static func stateChange(of eta: TripEta, from previous: TripState?) -> RiderUpdate.StateChange {
        RiderUpdate.StateChange(
            previousState: previous, state: eta.state, triggeredBy: eta.change?.triggeredBy,
            changedAt: eta.change?.changedAt ?? eta.computedAt, contextJSON: eta.change?.contextJSON, stage: eta.stage,
            factsJSON: eta.change?.factsJSON)
    }
}
