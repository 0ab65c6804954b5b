import Model
import Support

/// Which driver's records are told, and what a trip message changes beside the state.
extension Broadcaster {
    /// Whether the record begins the trip with another driver than the one who was told of.
    ///
    /// Only a trip's first message does, whether or not the end with the driver before has been seen.
    static func isRematch(_ eta: TripEta, _ state: BroadcastState) -> Bool {
        guard let change = eta.change, change.previousState == nil, !eta.state.hasEnded, let known = state.driverHash
        else { return false }
        return known != TextHash.of(eta.driverID)
    }

    /// What is left of what watchers know when another driver takes the trip over.
    static func afterRematch(_ state: BroadcastState) -> BroadcastState {
        var next = BroadcastState()
        next.tripState = state.tripState
        next.factsHash = state.factsHash
        next.routeID = state.routeID
        return next
    }

    /// Whether the record is to be told: not after the trip's end, and not of a driver who has lost the trip to another.
    static func follows(_ eta: TripEta, _ state: inout BroadcastState) -> Bool {
        let driver = TextHash.of(eta.driverID)
        let known = state.driverHash ?? driver
        state.driverHash = known
        return known == driver && !state.hasEnded
    }

    /// Appends the departure of a run from the route on which it was sent: it has ended, changed its route or lost its
    /// vehicle.
    ///
    /// Also for a run whose position is not known any more: the route's channel may have one. The end may name no route.
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

    /// The number that riders know the vehicle by: never the driver's id.
    static func vehicleNumber(of eta: TripEta) -> String { eta.vehicleNumber ?? eta.tripID }

    /// Takes over the stage and the facts, and answers whether they are worth a message although the state stays.
    static func noteStageAndFacts(of eta: TripEta, _ state: inout BroadcastState) -> Bool {
        let isNewStage = eta.stage != nil && eta.stage != state.stage
        state.stage = eta.stage
        guard let facts = eta.change?.factsJSON else { return isNewStage }
        let hash = TextHash.of(facts)
        defer { state.factsHash = hash }
        return isNewStage || hash != state.factsHash
    }

    /// The message of the record's state, with what its trip message says.
    static func stateChange(of eta: TripEta, from previous: TripState?) -> RiderUpdate.StateChange {
        RiderUpdate.StateChange(
            previousState: previous, state: eta.state, triggeredBy: eta.change?.triggeredBy,
            changedAt: eta.change?.changedAt ?? eta.computedAt, contextJSON: eta.change?.contextJSON, stage: eta.stage,
            factsJSON: eta.change?.factsJSON)
    }
}
