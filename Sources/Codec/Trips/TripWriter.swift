import CSimdJSON
import Domain
import Support

/// Writer of `trips` for the simulator, tools and tests; in production, a trip service writes it.
package enum TripWriter {
    private static let fixedByteCount = 1024
    private static let stopByteCount = 256

    package static func write(_ trip: TripMessage, into writer: inout ByteWriter) {
        var trip = trip
        RecordWriter.append(atMost: maximumByteCount(trip), to: &writer) { try write(&trip, &$0) }
    }

    private static func write(_ trip: inout TripMessage, _ json: inout RecordWriter) throws {
        if trip.isDriverStatus { json.derived(SL_KEY_TYPE) { $0.code("trip_status") } }
        json.text(SL_KEY_TRIP_ID, &trip.tripID, .any)
        json.text(SL_KEY_DRIVER_ID, &trip.driverID, .any)
        json.text(SL_KEY_RIDER_ID, &trip.riderID, .any)
        try json.code(SL_KEY_KIND, &trip.kind)
        json.derived(SL_KEY_STATE) { $0.code(trip.stage?.code ?? trip.state.code) }
        json.text(SL_KEY_TRIGGERED_BY, &trip.triggeredBy, .any)
        json.time(SL_KEY_CHANGED_AT, &trip.changedAt)
        try json.integer(SL_KEY_VERSION, &trip.version)
        try json.list(SL_KEY_STOPS, trip.stops) { stop, json in
            var stop = stop
            json.text(SL_KEY_STOP_ID, &stop.id, .any)
            try json.code(SL_KEY_KIND, &stop.kind)
            try json.coordinate(&stop.coordinate)
            json.time(SL_KEY_SCHEDULED_AT, &stop.scheduledAt)
        }
        if var route = trip.route {
            json.open(SL_KEY_ROUTE)
            json.text(SL_KEY_POLYLINE, &route.polyline, .any)
            json.derived(SL_KEY_PRECISION) { $0.integer(5) }
            try json.number(SL_KEY_DISTANCE_METERS, &route.distanceMeters, .tenths)
            try json.number(SL_KEY_DURATION_SECONDS, &route.durationSeconds, .tenths)
            json.close()
        }
        json.text(SL_KEY_ROUTE_ID, &trip.routeID, .any)
        json.text(SL_KEY_VEHICLE_NUMBER, &trip.vehicleNumber, .any)
        if trip.queuePosition != 0 { try json.integer(SL_KEY_QUEUE_POSITION, &trip.queuePosition) }
        // In a driver's status, the arrival location is the member `location`.
        let start = TripReader.arrivalContextStart.description
        if trip.isDriverStatus, let context = trip.contextJSON, context.hasPrefix(start) {
            var location: String? = String(context.dropFirst(start.count).dropLast())
            json.json(SL_KEY_LOCATION, &location)
        } else {
            json.json(SL_KEY_CONTEXT, &trip.contextJSON)
        }
        json.json(SL_KEY_FACTS, &trip.factsJSON)
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
}
