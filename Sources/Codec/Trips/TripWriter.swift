import Domain
import Support

/// Writes records of `trips` for the simulator, tools and tests; in production a trip service writes them.
package enum TripWriter {
    private static let fixedByteCount = 1024
    private static let stopByteCount = 256

    /// Appends one trip message.
    package static func write(_ trip: TripMessage, into writer: inout ByteWriter) {
        writer.appendJSON(atMost: maximumByteCount(trip)) { json in
            json.literal(trip.isDriverStatus ? "{\"type\":\"trip_status\",\"trip_id\":" : "{\"trip_id\":")
            json.text(trip.tripID)
            json.literal(",\"driver_id\":")
            json.text(trip.driverID)
            json.member(",\"rider_id\":", trip.riderID)
            json.literal(",\"kind\":")
            json.code(trip.kind.code)
            json.literal(",\"state\":")
            json.code(trip.stage?.code ?? trip.state.code)
            json.member(",\"triggered_by\":", trip.triggeredBy)
            json.member(",\"changed_at\":", trip.changedAt)
            json.member(",\"version\":", trip.version)
            json.literal(",\"stops\":[")
            for (index, stop) in trip.stops.enumerated() {
                if index > 0 { json.literal(",") }
                write(stop, &json)
            }
            json.literal("]")
            if let route = trip.route { write(route, &json) }
            json.member(",\"route_id\":", trip.routeID)
            json.member(",\"vehicle_number\":", trip.vehicleNumber)
            if trip.queuePosition != 0 {
                json.literal(",\"queue_position\":")
                json.integer(trip.queuePosition)
            }
            if let context = trip.contextJSON { write(context: context, of: trip, &json) }
            if let facts = trip.factsJSON {
                json.literal(",\"facts\":")
                json.json(facts)
            }
            json.literal("}")
        }
    }

    private static func maximumByteCount(_ trip: TripMessage) -> Int {
        var count = fixedByteCount
        for text in [
            trip.tripID, trip.driverID, trip.riderID, trip.triggeredBy, trip.routeID, trip.vehicleNumber,
            trip.route?.polyline,
        ] {
            count += JSONCursor.maximumTextCount(text)
        }
        for stop in trip.stops { count += stopByteCount + JSONCursor.maximumTextCount(stop.id) }
        return count + (trip.contextJSON?.utf8.count ?? 0) + (trip.factsJSON?.utf8.count ?? 0)
    }

    /// Writes the context; a driver's status has the arrival location as a separate member.
    private static func write(context: String, of trip: TripMessage, _ json: inout JSONCursor) {
        let before = TripReader.arrivalContextStart.description
        if trip.isDriverStatus, context.hasPrefix(before) {
            json.literal(",\"location\":")
            json.json(String(context.dropFirst(before.count).dropLast()))
        } else {
            json.literal(",\"context\":")
            json.json(context)
        }
    }

    private static func write(_ stop: TripMessage.Stop, _ json: inout JSONCursor) {
        json.literal("{\"stop_id\":")
        json.text(stop.id)
        json.literal(",\"kind\":")
        json.code(stop.kind.code)
        json.literal(",\"latitude\":")
        json.degrees(stop.coordinate.latitude)
        json.literal(",\"longitude\":")
        json.degrees(stop.coordinate.longitude)
        json.member(",\"scheduled_at\":", stop.scheduledAt)
        json.literal("}")
    }

    private static func write(_ route: TripMessage.Route, _ json: inout JSONCursor) {
        json.literal(",\"route\":{\"polyline\":")
        json.text(route.polyline)
        json.literal(",\"precision\":5")
        if let distance = route.distanceMeters {
            json.literal(",\"distance_meters\":")
            json.tenths(distance)
        }
        if let duration = route.durationSeconds {
            json.literal(",\"duration_seconds\":")
            json.tenths(duration)
        }
        json.literal("}")
    }
}

/// Optional members; `name` includes the comma, quotes and colon.
extension JSONCursor {
    fileprivate mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        literal(name)
        text(value)
    }

    fileprivate mutating func member(_ name: StaticString, _ value: Timestamp?) {
        guard let value else { return }
        literal(name)
        timestamp(value)
    }

    fileprivate mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        literal(name)
        integer(value)
    }
}
