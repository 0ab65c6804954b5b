import CSimdJSON
import Domain
import Support

package enum TripReadResult: Sendable {
    case trip(TripMessage)
    /// A valid message whose facts were dropped, because they are too large or not a JSON object.
    case tripWithoutFacts(TripMessage, DeadLetterReason)
    /// A null value: the driver has no trip.
    case tombstone(driverID: String)
    /// The record goes to the dead letters; `detail` is the invalid field, empty if the whole record is invalid.
    case unreadable(DeadLetterReason, detail: String)

    package var message: TripMessage? {
        switch self {
        case .trip(let message), .tripWithoutFacts(let message, _): message
        case .tombstone, .unreadable: nil
        }
    }
}

/// Reader of `trips`; use one per thread.
///
/// `trip_id` and `state` are required; `driver_id`, if present, must equal the key. Unknown fields
/// are ignored, null means missing, and the last of several fields with the same name counts. A
/// record of type `trip_status` comes from the driver's app
/// (``Domain/TripMessage/isDriverStatus``). Invalid facts are dropped; see
/// ``TripReadResult/tripWithoutFacts(_:_:)``.
package final class TripReader {
    private let storage = JSONStorage()

    package init() {}

    /// Reads one record, whose key is the driver id; a `nil` value is a tombstone.
    package func read(key: ByteSlice, value: ByteSlice?) -> TripReadResult {
        guard !key.isEmpty else { return .unreadable(.missingKey, detail: "") }
        guard Identifier.isValid(key) else { return .unreadable(.invalidKey, detail: "") }
        guard let value else { return .tombstone(driverID: key.string) }
        guard !value.isEmpty else { return .unreadable(.emptyValue, detail: "") }
        guard value.count <= TripLimits.recordBytes else { return .unreadable(.tooLarge, detail: "") }
        var object: JSONValue?
        if let reason = DeadLetterReason(storage.parser.read(value, keeping: SL_KEEP_OPAQUE, into: &object)) {
            return .unreadable(reason, detail: "")
        }
        guard let object else { return .unreadable(.malformedJSON, detail: "") }
        do {
            let fields = JSONFields(object, in: storage.slots.0)
            if isStatus(fields) { return .trip(try status(driver: key, fields)) }
            var message = try self.message(driver: key, fields)
            // Facts are only displayed, so invalid ones do not make the trip unreadable.
            do {
                message.factsJSON = try opaque(fields, SL_KEY_FACTS, atMost: TripLimits.factsBytes)
            } catch {
                return .tripWithoutFacts(message, error.reason)
            }
            return .trip(message)
        } catch {
            return .unreadable(error.reason, detail: error.name)
        }
    }

    /// Returns the driver id in a record or its payload, for records without a key; `nil` if absent.
    package func driverID(of value: ByteSlice) -> String? {
        var object: JSONValue?
        let problem = DeadLetterReason(storage.parser.read(value, keeping: SL_KEEP_OPAQUE, into: &object))
        guard problem == nil, let object else { return nil }
        let record = JSONFields(object, in: storage.slots.0)
        if let driver = Self.driverID(record) { return driver }
        guard let inside = try? record.optionalObject(SL_KEY_PAYLOAD) else { return nil }
        return Self.driverID(JSONFields(inside, in: storage.slots.1))
    }

    private static func driverID(_ fields: JSONFields) -> String? {
        try? fields.optionalText(fields.present(SL_KEY_DRIVER_ID, or: SL_KEY_DRIVER_ID_CAMEL))?.string
    }

    private func isStatus(_ fields: JSONFields) -> Bool {
        guard let type = fields[SL_KEY_TYPE]?.text else { return false }
        return type.count == 11 && type.string.lowercased() == "trip_status"
    }

    /// Reads a status from a driver's app: trip id, state, and location of an arrival.
    private func status(driver: ByteSlice, _ record: JSONFields) throws(FieldFault) -> TripMessage {
        try requireDriver(driver, record)
        let object = try record.optionalObject(SL_KEY_PAYLOAD)
        let fields = object.map { JSONFields($0, in: storage.slots.1) } ?? record
        var message = try header(driver: driver, fields)
        message.isDriverStatus = true
        message.triggeredBy = "DRIVER"
        if message.state == .arrived || message.stage == .arrivedDestination {
            message.contextJSON = arrivalContext(fields)
        }
        return message
    }

    /// Start of the context of a driver's arrival; the location and a closing brace follow.
    static let arrivalContextStart: StaticString = "{\"arrival_location\":"

    /// Returns the location of the driver's arrival as the context; `nil` if missing or invalid.
    private func arrivalContext(_ fields: JSONFields) -> String? {
        guard let location = fields[SL_KEY_LOCATION], location.kind == SL_OBJECT else { return nil }
        let position = JSONFields(location, in: storage.slots.2)
        guard
            let coordinate = try? position.coordinate(
                position.present(SL_KEY_LATITUDE, or: SL_KEY_LAT), position.present(SL_KEY_LONGITUDE, or: SL_KEY_LNG))
        else { return nil }
        var writer = ByteWriter()
        writer.appendJSON(atMost: 128) { json in
            json.literal(Self.arrivalContextStart)
            json.literal("{\"latitude\":")
            json.degrees(coordinate.latitude)
            json.literal(",\"longitude\":")
            json.degrees(coordinate.longitude)
            json.literal("}}")
        }
        return writer.bytes.string
    }

    private func requireDriver(_ driver: ByteSlice, _ fields: JSONFields) throws(FieldFault) {
        let key = fields.present(SL_KEY_DRIVER_ID, or: SL_KEY_DRIVER_ID_CAMEL)
        if let driverID = try fields.optionalText(key), driverID != driver {
            throw FieldFault(reason: .keyMismatch, key: key)
        }
    }

    private func header(driver: ByteSlice, _ fields: JSONFields) throws(FieldFault) -> TripMessage {
        try requireDriver(driver, fields)
        let stateKey = fields.present(SL_KEY_STATE, or: SL_KEY_STATUS)
        guard let (state, stage) = TripState.find(wire: try fields.text(stateKey)) else {
            throw FieldFault(reason: .unknownState, key: stateKey)
        }
        let tripID = try fields.text(fields.present(SL_KEY_TRIP_ID, or: SL_KEY_TRIP_ID_CAMEL), .identifier)
        var message = TripMessage(
            tripID: tripID.string, driverID: driver.string,
            kind: .ride, state: state, stage: stage)
        message.changedAt = try fields.optionalTimestamp(fields.present(SL_KEY_CHANGED_AT, or: SL_KEY_TIMESTAMP))
        return message
    }

    private func message(driver: ByteSlice, _ fields: JSONFields) throws(FieldFault) -> TripMessage {
        var message = try header(driver: driver, fields)
        message.kind = try fields.optionalCode(SL_KEY_KIND, as: TripMessage.Kind.self) ?? .ride
        message.riderID = try fields.optionalText(SL_KEY_RIDER_ID, .name)?.string
        message.triggeredBy = try fields.optionalText(SL_KEY_TRIGGERED_BY, .name)?.string
        message.version = try fields.optionalInteger(SL_KEY_VERSION, in: 0 ... .max)
        message.routeID = try fields.optionalText(SL_KEY_ROUTE_ID, .identifier)?.string
        message.vehicleNumber = vehicleNumber(fields)
        message.queuePosition = try fields.optionalInt(SL_KEY_QUEUE_POSITION, in: 0...1) ?? 0
        message.contextJSON = try opaque(fields, SL_KEY_CONTEXT, atMost: TripLimits.contextBytes)
        message.stops = try stops(fields)
        if let route = try fields.optionalObject(SL_KEY_ROUTE) { message.route = try self.route(route) }
        return message
    }

    /// Returns the vehicle's number or license plate; ignores an invalid one, as it is only shown.
    private func vehicleNumber(_ fields: JSONFields) -> String? {
        if let number = try? fields.optionalText(SL_KEY_VEHICLE_NUMBER, .name)?.string { return number }
        guard let vehicle = fields[SL_KEY_VEHICLE], vehicle.kind == SL_OBJECT else { return nil }
        return try? JSONFields(vehicle, in: storage.slots.2).optionalText(SL_KEY_LICENSE_PLATE, .name)?.string
    }

    /// Returns an object that is passed through, without white space.
    private func opaque(_ fields: JSONFields, _ key: sl_key, atMost limit: Int) throws(FieldFault) -> String? {
        guard let value = fields[key] else { return nil }
        guard value.kind == SL_OBJECT, let text = value.keptText else { throw FieldFault(reason: .wrongType, key: key) }
        guard let minified = storage.inner.minify(text) else { throw FieldFault(reason: .malformedJSON, key: key) }
        guard minified.count <= limit else { throw FieldFault(reason: .tooLarge, key: key) }
        return minified.string
    }

    private func stops(_ fields: JSONFields) throws(FieldFault) -> [TripMessage.Stop] {
        guard let array = try fields.optionalArray(SL_KEY_STOPS) else { return [] }
        var stops: [TripMessage.Stop] = []
        for element in array.members {
            guard stops.count < TripLimits.stops else { throw FieldFault(reason: .tooManyStops, key: SL_KEY_STOPS) }
            guard element.kind == SL_OBJECT else { throw FieldFault(reason: .wrongType, key: SL_KEY_STOPS) }
            stops.append(try stop(JSONFields(element, in: storage.slots.2)))
        }
        return stops
    }

    private func stop(_ fields: JSONFields) throws(FieldFault) -> TripMessage.Stop {
        let id = try fields.text(SL_KEY_STOP_ID, .name)
        // The stops of a ride may have the ids pickup and dropoff instead of a kind.
        let implied: TripMessage.Stop.Kind = id == "pickup" ? .pickup : id == "dropoff" ? .dropoff : .stop
        return TripMessage.Stop(
            id: id.string, kind: try fields.optionalCode(SL_KEY_KIND, as: TripMessage.Stop.Kind.self) ?? implied,
            coordinate: try fields.coordinate(), scheduledAt: try fields.optionalTimestamp(SL_KEY_SCHEDULED_AT))
    }

    private func route(_ object: JSONValue) throws(FieldFault) -> TripMessage.Route {
        let fields = JSONFields(object, in: storage.slots.2)
        let text = try fields.optionalText(SL_KEY_POLYLINE) ?? .empty
        let precision = try fields.optionalInt(SL_KEY_PRECISION, in: 5...6) ?? 5
        guard text.count <= TripLimits.polylineBytes,
            let (polyline, points) = Polyline.read(text, precision: precision)
        else { throw FieldFault(reason: .invalidPolyline, key: SL_KEY_POLYLINE) }
        return TripMessage.Route(
            polyline: polyline, points: points,
            distanceMeters: try fields.optionalDouble(SL_KEY_DISTANCE_METERS, in: 0...1e9),
            durationSeconds: try fields.optionalDouble(SL_KEY_DURATION_SECONDS, in: 0...1e9))
    }
}
