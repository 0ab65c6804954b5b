import Bytes
import Pipeline
import Tracking

/// Writes records of `trip.etas`.
///
/// Coordinates have 7 decimals, heading, speed and accuracy 2, distances 1. What is not known is left out.
package enum TripEtaWriter {
    private static let fixedByteCount = 2560

    /// Appends one record; the event's id is its first member.
    package static func write(event: EventID, eta: TripEta, into writer: inout ByteWriter) {
        writer.appendJSON(atMost: maximumByteCount(eta)) { json in
            json.literal("{\"event_id\":")
            json.eventID(event)
            identity(eta, &json)
            if let change = eta.change { self.change(change, &json) }
            if let position = eta.position { self.position(position, &json) }
            progress(eta, &json)
            json.literal(",\"stops\":[")
            eta.stops.withUnsafeBufferPointer { stops in
                guard let first = stops.baseAddress else { return }
                for index in stops.indices {
                    if index > 0 { json.literal(",") }
                    EtaStop.write(first + index, computedAt: nil, &json)
                }
            }
            json.literal("]")
            json.member(",\"driven_meters\":", tenths: eta.drivenMeters)
            json.member(",\"snapped_meters\":", tenths: eta.snappedMeters)
            json.member(",\"planned_meters\":", tenths: eta.plannedMeters)
            fareChecks(eta.fareChecks, &json)
            json.literal("}")
        }
    }

    private static func fareChecks(_ checks: FareChecks, _ json: inout JSONCursor) {
        guard checks.rawValue != 0 else { return }
        json.literal(",\"fare_checks\":[")
        var isFirst = true
        for (code, check) in FareChecks.all where checks.contains(check) {
            if !isFirst { json.literal(",") }
            json.code(code)
            isFirst = false
        }
        json.literal("]")
    }

    private static func maximumByteCount(_ eta: TripEta) -> Int {
        var count = fixedByteCount + JSONCursor.maximumTextCount(eta.tripID)
        count += JSONCursor.maximumTextCount(eta.driverID) + JSONCursor.maximumTextCount(eta.riderID)
        count += JSONCursor.maximumTextCount(eta.routeID) + JSONCursor.maximumTextCount(eta.detectedArrivalStopID)
        count += JSONCursor.maximumTextCount(eta.nextStopID) + JSONCursor.maximumTextCount(eta.passedStopID)
        count += JSONCursor.maximumTextCount(eta.lastStopID)
        if let change = eta.change {
            count += JSONCursor.maximumTextCount(change.triggeredBy)
            count += JSONCursor.maximumTextCount(change.routePolyline) + (change.contextJSON?.utf8.count ?? 0)
        }
        return count + EtaStop.maximumByteCount(eta.stops)
    }

    private static func identity(_ eta: borrowing TripEta, _ json: inout JSONCursor) {
        json.literal(",\"trip_id\":")
        json.text(eta.tripID)
        json.literal(",\"driver_id\":")
        json.text(eta.driverID)
        json.member(",\"rider_id\":", eta.riderID)
        json.literal(",\"kind\":")
        json.code(eta.kind.code)
        json.member(",\"route_id\":", eta.routeID)
        json.literal(",\"state\":")
        json.code(eta.state.code)
        json.member(",\"version\":", eta.version)
        json.literal(",\"computed_at\":")
        json.timestamp(eta.computedAt)
    }

    private static func change(_ change: TripEta.Change, _ json: inout JSONCursor) {
        json.literal(",\"change\":{\"changed_at\":")
        json.timestamp(change.changedAt)
        json.member(",\"previous_state\":", code: change.previousState?.code)
        json.member(",\"triggered_by\":", change.triggeredBy)
        json.member(",\"route_polyline\":", change.routePolyline)
        if let context = change.contextJSON {
            json.literal(",\"context\":")
            json.json(context)
        }
        json.literal("}")
    }

    private static func position(_ position: TripEta.Position, _ json: inout JSONCursor) {
        json.literal(",\"position\":{\"latitude\":")
        json.degrees(position.coordinate.latitude)
        json.literal(",\"longitude\":")
        json.degrees(position.coordinate.longitude)
        if let heading = position.headingDegrees {
            json.literal(",\"heading\":")
            json.heading(heading)
        }
        json.literal(",\"speed_mps\":")
        json.hundredths(position.speedMetersPerSecond)
        json.literal(",\"accuracy_meters\":")
        json.hundredths(position.accuracyMeters)
        json.literal(",\"fixed_at\":")
        json.timestamp(position.fixedAt)
        json.literal("}")
    }

    private static func progress(_ eta: borrowing TripEta, _ json: inout JSONCursor) {
        json.member(",\"progress_meters\":", tenths: eta.progressMeters)
        json.literal(",\"off_route\":")
        json.bool(eta.isOffRoute)
        json.member(",\"off_route_meters\":", tenths: eta.offRouteMeters)
        json.literal(",\"is_halted\":")
        json.bool(eta.isHalted)
        json.literal(",\"is_stale\":")
        json.bool(eta.isStale)
        json.literal(",\"traffic_conditions\":")
        json.code(eta.traffic.code)
        json.member(",\"occupancy_percent\":", eta.occupancyPercent)
        json.member(",\"detected_arrival\":", eta.detectedArrivalStopID)
        json.member(",\"next_stop_id\":", eta.nextStopID)
        json.member(",\"passed_stop_id\":", eta.passedStopID)
        json.member(",\"passed_at\":", eta.passedAt)
        json.member(",\"last_stop_id\":", eta.lastStopID)
    }
}
