import CSimdJSON
import Pipeline
import Tracking

/// One stop with its arrival, as `trip.etas` and `rider.updates` both write it.
enum EtaStop {
    private static let fixedByteCount = 512

    static func maximumByteCount(_ stops: [TripEta.Stop]) -> Int {
        stops.withUnsafeBufferPointer { stops in
            var count = fixedByteCount * stops.count
            for index in stops.indices { count += JSONCursor.maximumTextCount(stops[index].id) }
            return count
        }
    }

    /// Writes a stop in its place, because one taken out of its array is copied; `computedAt` only where the stop
    /// stands alone, as riders get it.
    static func write(_ stop: UnsafePointer<TripEta.Stop>, computedAt: Timestamp?, _ json: inout JSONCursor) {
        json.literal("{\"stop_id\":")
        json.text(stop.pointee.id)
        json.literal(",\"kind\":")
        json.code(stop.pointee.kind.code)
        json.literal(",\"status\":")
        json.code(stop.pointee.status.code)
        json.member(",\"seconds\":", stop.pointee.seconds)
        json.member(",\"min_seconds\":", stop.pointee.minSeconds)
        json.member(",\"max_seconds\":", stop.pointee.maxSeconds)
        json.member(",\"confidence\":", code: stop.pointee.confidence?.code)
        json.member(",\"distance_meters\":", tenths: stop.pointee.distanceMeters)
        json.member(",\"arrives_at\":", stop.pointee.arrivesAt)
        json.member(",\"scheduled_at\":", stop.pointee.scheduledAt)
        json.member(",\"delay_seconds\":", stop.pointee.delaySeconds)
        json.literal(",\"delay\":")
        json.code(stop.pointee.delay.code)
        json.member(",\"computed_at\":", computedAt)
        json.literal("}")
    }

    /// Reads a stop into `stop`, keeping what storage it can.
    static func read(_ fields: JSONFields, into stop: inout TripEta.Stop) throws(FieldFault) {
        stop.id.become(try fields.name(SL_KEY_STOP_ID))
        stop.kind = try fields.code(SL_KEY_KIND, as: TripMessage.Stop.Kind.self)
        stop.status = try fields.code(SL_KEY_STATUS, as: TripEta.StopStatus.self)
        stop.seconds = try fields.optionalInt(SL_KEY_SECONDS)
        stop.minSeconds = try fields.optionalInt(SL_KEY_MIN_SECONDS)
        stop.maxSeconds = try fields.optionalInt(SL_KEY_MAX_SECONDS)
        stop.confidence = try fields.optionalCode(SL_KEY_CONFIDENCE, as: Confidence.self)
        stop.distanceMeters = try fields.optionalDouble(SL_KEY_DISTANCE_METERS)
        stop.arrivesAt = try fields.optionalTimestamp(SL_KEY_ARRIVES_AT)
        stop.scheduledAt = try fields.optionalTimestamp(SL_KEY_SCHEDULED_AT)
        stop.delaySeconds = try fields.optionalInt(SL_KEY_DELAY_SECONDS)
        stop.delay = try fields.code(SL_KEY_DELAY, as: TripEta.Delay.self)
    }

    /// Reads a list of stops into `stops`, keeping what storage it can.
    static func read(_ array: JSONValue, into stops: inout [TripEta.Stop], slots: JSONSlots) throws(FieldFault) {
        var count = 0
        for element in array.members {
            guard element.kind == SL_OBJECT else { throw FieldFault(reason: .wrongType, key: array.key) }
            if count == stops.count { stops.append(TripEta.Stop(id: "", kind: .stop, status: .unavailable)) }
            try read(JSONFields(element, in: slots), into: &stops[count])
            count += 1
        }
        stops.removeLast(stops.count - count)
    }
}
