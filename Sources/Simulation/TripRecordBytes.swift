import Lanes
import Tracking

/// Writes trips-topic messages as a trip service sends them.
enum TripRecordBytes {
    static func of(_ message: TripMessage) -> [UInt8] {
        var writer = ByteWriter(capacity: 2048)
        writer.append("{\"trip_id\":")
        writer.appendQuoted(message.tripID)
        writer.append(",\"driver_id\":")
        writer.appendQuoted(message.driverID)
        if let rider = message.riderID {
            writer.append(",\"rider_id\":")
            writer.appendQuoted(rider)
        }
        writer.append(message.kind == .ride ? ",\"kind\":\"ride\"" : ",\"kind\":\"transit\"")
        writer.append(",\"state\":\"")
        writer.append(message.state.code)
        writer.append("\"")
        if let actor = message.triggeredBy {
            writer.append(",\"triggered_by\":")
            writer.appendQuoted(actor)
        }
        if let changedAt = message.changedAt {
            writer.append(",\"changed_at\":\"")
            writer.appendISO8601(changedAt)
            writer.append("\"")
        }
        if let version = message.version {
            writer.append(",\"version\":")
            writer.appendNumber(version)
        }
        writer.append(",\"stops\":[")
        for (index, stop) in message.stops.enumerated() {
            if index > 0 { writer.append(",") }
            append(stop, to: &writer)
        }
        writer.append("]")
        if let route = message.route { append(route, to: &writer) }
        if let routeID = message.routeID {
            writer.append(",\"route_id\":")
            writer.appendQuoted(routeID)
        }
        writer.append(",\"context\":{}}")
        return Array(writer.bytes.buffer)
    }

    private static func append(_ stop: TripMessage.Stop, to writer: inout ByteWriter) {
        writer.append("{\"stop_id\":")
        writer.appendQuoted(stop.id)
        switch stop.kind {
        case .pickup: writer.append(",\"kind\":\"PICKUP\"")
        case .dropoff: writer.append(",\"kind\":\"DROPOFF\"")
        case .stop: writer.append(",\"kind\":\"STOP\"")
        }
        writer.append(",\"latitude\":")
        writer.appendNumber(stop.coordinate.latitude, decimals: 6)
        writer.append(",\"longitude\":")
        writer.appendNumber(stop.coordinate.longitude, decimals: 6)
        if let scheduled = stop.scheduledAt {
            writer.append(",\"scheduled_at\":\"")
            writer.appendISO8601(scheduled)
            writer.append("\"")
        }
        writer.append("}")
    }

    private static func append(_ route: TripMessage.Route, to writer: inout ByteWriter) {
        writer.append(",\"route\":{\"polyline\":")
        writer.appendQuoted(route.polyline)
        writer.append(",\"precision\":")
        writer.appendNumber(Int64(route.precision))
        if let distance = route.distanceMeters {
            writer.append(",\"distance_meters\":")
            writer.appendNumber(distance, decimals: 0)
        }
        if let duration = route.durationSeconds {
            writer.append(",\"duration_seconds\":")
            writer.appendNumber(duration, decimals: 0)
        }
        writer.append("}")
    }

    /// Encodes points with five decimals as Google's encoded polyline: zigzag differences in groups of five bits.
    static func polyline(_ points: [Coordinate]) -> String {
        var text: [UInt8] = []
        var last: (latitude: Int64, longitude: Int64) = (0, 0)
        for point in points {
            let next = (
                latitude: Int64((point.latitude * 1e5).rounded()), longitude: Int64((point.longitude * 1e5).rounded())
            )
            append(next.latitude - last.latitude, to: &text)
            append(next.longitude - last.longitude, to: &text)
            last = next
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ difference: Int64, to text: inout [UInt8]) {
        var bits = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
        while bits >= 0x20 {
            text.append(UInt8(bits & 0x1f | 0x20) + 63)
            bits >>= 5
        }
        text.append(UInt8(bits) + 63)
    }
}
