import Bytes
import Pipeline
import Tracking

/// Writes records of `rider.updates`.
package enum RiderUpdateWriter {
    private static let fixedByteCount = 2048
    private static let tripPrefix: StaticString = "trip:"

    /// Appends one message to those who watch `channel` (`trip:ID` or `route:ID`).
    package static func write(
        event: EventID, channel: ByteSlice, update: RiderUpdate, into writer: inout ByteWriter
    ) {
        let maximum = fixedByteCount + 2 * JSONCursor.maximumTextCount(channel) + maximumByteCount(update)
        writer.appendJSON(atMost: maximum) { json in
            json.literal("{\"type\":")
            json.code(RiderUpdateType(update).code)
            json.literal(",\"event_id\":")
            json.eventID(event)
            json.literal(",\"channel\":")
            json.text(channel)
            json.literal(",\"payload\":{")
            switch update {
            case .driverLocation(let location): write(location, &json)
            case .eta(let eta): write(eta, &json)
            case .stateChanged(let change): write(change, channel: channel, &json)
            case .vehiclePosition(let position): write(position, &json)
            case .notification(let notification): write(notification, &json)
            }
            json.literal("}}")
        }
    }

    private static func maximumByteCount(_ update: RiderUpdate) -> Int {
        switch update {
        case .driverLocation, .notification: return 0
        case .eta(let eta):
            return JSONCursor.maximumTextCount(eta.routePolyline) + EtaStop.maximumByteCount(eta.stops)
        case .stateChanged(let change):
            return JSONCursor.maximumTextCount(change.triggeredBy) + (change.contextJSON?.utf8.count ?? 0)
                + JSONCursor.maximumTextCount(change.detectedArrivalStopID)
        case .vehiclePosition(let position):
            return JSONCursor.maximumTextCount(position.vehicleNumber)
                + JSONCursor.maximumTextCount(position.nextStopID) + JSONCursor.maximumTextCount(position.lastStopID)
                + JSONCursor.maximumTextCount(position.passedStopID)
        }
    }

    private static func write(_ location: RiderUpdate.DriverLocation, _ json: inout JSONCursor) {
        json.literal("\"latitude\":")
        json.degrees(location.coordinate.latitude)
        json.literal(",\"longitude\":")
        json.degrees(location.coordinate.longitude)
        if let heading = location.headingDegrees {
            json.literal(",\"heading\":")
            json.heading(heading)
        }
        json.literal(",\"speed_mps\":")
        json.hundredths(location.speedMetersPerSecond)
        json.literal(",\"interpolation_hint\":{\"duration_ms\":")
        json.integer(location.interpolationMilliseconds)
        json.literal(",\"easing\":\"linear\"},\"server_timestamp\":")
        json.timestamp(location.serverAt)
        json.literal(",\"is_stale\":")
        json.bool(location.isStale)
        json.literal(",\"stale_seconds\":")
        json.integer(location.staleSeconds)
    }

    private static func write(_ eta: RiderUpdate.EtaUpdate, _ json: inout JSONCursor) {
        json.literal("\"computed_at\":")
        json.timestamp(eta.computedAt)
        let isRide = isRide(eta.stops)
        if !isRide { json.literal(",\"stop_etas\":[") }
        eta.stops.withUnsafeBufferPointer { stops in
            guard let first = stops.baseAddress else { return }
            for index in stops.indices {
                if isRide {
                    json.literal(stops[index].kind == .pickup ? ",\"pickup_eta\":" : ",\"dropoff_eta\":")
                } else if index > 0 {
                    json.literal(",")
                }
                EtaStop.write(first + index, computedAt: eta.computedAt, &json)
            }
        }
        if !isRide { json.literal("]") }
        json.member(",\"route_polyline\":", eta.routePolyline)
        json.literal(",\"traffic_conditions\":")
        json.code(eta.traffic.code)
    }

    /// Whether the stops are those of a ride: a pickup, a dropoff, or both in that order.
    private static func isRide(_ stops: [TripEta.Stop]) -> Bool {
        switch stops.count {
        case 1: stops[0].kind != .stop
        case 2: stops[0].kind == .pickup && stops[1].kind == .dropoff
        default: false
        }
    }

    private static func write(_ change: RiderUpdate.StateChange, channel: ByteSlice, _ json: inout JSONCursor) {
        if let tripID = tripID(of: channel) {
            json.literal("\"trip_id\":")
            json.text(tripID)
            json.literal(",")
        }
        json.literal("\"state\":")
        json.code(change.state.code)
        json.member(",\"previous_state\":", code: change.previousState?.code)
        json.literal(",\"allowed_transitions\":[")
        for (index, state) in change.state.allowedTransitions.enumerated() {
            if index > 0 { json.literal(",") }
            json.code(state.code)
        }
        json.literal("]")
        json.member(",\"triggered_by\":", change.triggeredBy)
        json.literal(",\"timestamp\":")
        json.timestamp(change.changedAt)
        RiderContext.write(change, &json)
    }

    private static func tripID(of channel: ByteSlice) -> ByteSlice? {
        let count = tripPrefix.utf8CodeUnitCount
        guard channel.count > count, ByteSlice(start: channel.start, count: count) == tripPrefix else { return nil }
        return ByteSlice(start: channel.start.map { $0 + count }, count: channel.count - count)
    }

    private static func write(_ position: RiderUpdate.VehiclePosition, _ json: inout JSONCursor) {
        json.literal("\"vehicleNumber\":")
        json.text(position.vehicleNumber)
        json.member(",\"eta\":", position.etaSeconds)
        json.literal(",\"latLng\":{\"lat\":")
        json.degrees(position.coordinate.latitude)
        json.literal(",\"lng\":")
        json.degrees(position.coordinate.longitude)
        json.literal("},\"isBusHalted\":")
        json.bool(position.isHalted)
        json.member(",\"nextStopId\":", position.nextStopID)
        json.member(",\"lastStopId\":", position.lastStopID)
        json.member(",\"passedStopId\":", position.passedStopID)
        json.member(",\"passedStopTime\":", position.passedAt)
        if let bearing = position.bearingDegrees {
            json.literal(",\"vehicleBearing\":")
            json.heading(bearing)
        }
        json.literal(",\"timeStamp\":")
        json.timestamp(position.at)
        json.literal(",\"isStale\":")
        json.bool(position.isStale)
        json.literal(",\"occupancyLevel\":")
        json.code(position.occupancy.code)
    }

    private static func write(_ notification: RiderUpdate.Notification, _ json: inout JSONCursor) {
        json.literal("\"moment\":")
        json.code(notification.moment.code)
        json.literal(",\"priority\":")
        json.code(notification.priority.code)
        json.member(",\"eta_change_seconds\":", notification.etaChangeSeconds)
    }
}
