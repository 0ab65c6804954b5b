import CSimdJSON
import Model
import Support

/// Reads records of `trips`; one per thread.
///
/// Required are `trip_id` and `state`; `driver_id` must agree with the key where it is given. Unknown fields are
/// ignored, null means missing, of a name that comes twice the last counts. A record of type `trip_status` is what the
/// driver's app says of a trip (``TripMessage/isDriverStatus``); its members may stand in `payload`. Facts that cannot be
/// passed on are left out, and the result says so.
package final class TripReader {
    private let parser = JSONParser()
    /// For texts inside a record, which are read while the record still is.
    private let innerParser = JSONParser()
    private let trip = JSONSlots()
    private let payload = JSONSlots()
    private let inner = JSONSlots()
    private let limits: TripLimits

    package init(limits: TripLimits = TripLimits()) {
        precondition(limits.problems().isEmpty, "A reader was made with limits that were not checked.")
        self.limits = limits
    }

    /// Reads one record.
    /// - Parameters:
    ///   - key: the record's key, the driver id.
    ///   - value: the record's value; `nil` for a tombstone.
    /// - Returns: the message, that the driver's trips have ended, or why the record cannot be read.
    package func read(key: ByteSlice, value: ByteSlice?) -> TripReadResult {
        guard !key.isEmpty else { return .unreadable(.missingKey, detail: "") }
        guard Identifier.isValid(key) else { return .unreadable(.invalidKey, detail: "") }
        guard let value else { return .tombstone(driverID: key.string) }
        guard !value.isEmpty else { return .unreadable(.emptyValue, detail: "") }
        guard value.count <= limits.recordBytes else { return .unreadable(.tooLarge, detail: "") }
        var object: JSONValue?
        if let reason = DeadLetterReason(parser.read(value, keeping: SL_KEEP_OPAQUE, into: &object)) {
            return .unreadable(reason, detail: "")
        }
        guard let object else { return .unreadable(.malformedJSON, detail: "") }
        do {
            let fields = JSONFields(object, in: trip)
            if isStatus(fields) { return .trip(try status(driver: key, fields)) }
            var message = try self.message(driver: key, fields)
            // Facts are for show: a trip is not lost for them.
            do {
                message.factsJSON = try opaque(fields, SL_KEY_FACTS, atMost: limits.factsBytes)
            } catch {
                return .tripWithoutFacts(message, error.reason)
            }
            return .trip(message)
        } catch {
            return .unreadable(error.reason, detail: error.name)
        }
    }

    /// The driver that a record names, in itself or in its payload; `nil` where it is no JSON object or names none.
    ///
    /// For records that have no key yet. What stands in its facts is not read.
    package func driverID(of value: ByteSlice) -> String? {
        var object: JSONValue?
        let problem = DeadLetterReason(parser.read(value, keeping: SL_KEEP_OPAQUE, into: &object))
        guard problem == nil, let object else { return nil }
        let record = JSONFields(object, in: trip)
        if let driver = Self.driverID(record) { return driver }
        guard let inside = try? record.optionalObject(SL_KEY_PAYLOAD) else { return nil }
        return Self.driverID(JSONFields(inside, in: payload))
    }

    private static func driverID(_ fields: JSONFields) -> String? {
        try? fields.optionalText(fields.present(SL_KEY_DRIVER_ID, or: SL_KEY_DRIVER_ID_CAMEL))?.string
    }

    private func isStatus(_ fields: JSONFields) -> Bool {
        guard let type = fields[SL_KEY_TYPE]?.text else { return false }
        return type.count == 11 && type.string.lowercased() == "trip_status"
    }

    /// What the driver's app says, which knows the trip's id and where it stands.
    private func status(driver: ByteSlice, _ record: JSONFields) throws(FieldFault) -> TripMessage {
        try requireDriver(driver, record)
        let object = try record.optionalObject(SL_KEY_PAYLOAD)
        let fields = object.map { JSONFields($0, in: payload) } ?? record
        var message = try beginning(driver: driver, fields)
        message.isDriverStatus = true
        message.triggeredBy = "DRIVER"
        if message.state == .arrived || message.stage == .arrivedDestination {
            message.contextJSON = arrivalContext(fields)
        }
        return message
    }

    /// What the context of a driver's arrival begins with; its place and a brace follow.
    static let arrivalContextStart: StaticString = "{\"arrival_location\":"

    /// The context with the place at which the driver says to have arrived.
    ///
    /// Only told to riders: a location of another form is none, and no reason to refuse the status.
    private func arrivalContext(_ fields: JSONFields) -> String? {
        guard let location = fields[SL_KEY_LOCATION], location.kind == SL_OBJECT else { return nil }
        let place = JSONFields(location, in: inner)
        guard
            let coordinate = try? place.coordinate(
                place.present(SL_KEY_LATITUDE, or: SL_KEY_LAT), place.present(SL_KEY_LONGITUDE, or: SL_KEY_LNG))
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
        if let named = try fields.optionalText(key), named != driver {
            throw FieldFault(reason: .keyMismatch, key: key)
        }
    }

    /// Which trip it is, where it stands, and since when.
    private func beginning(driver: ByteSlice, _ fields: JSONFields) throws(FieldFault) -> TripMessage {
        try requireDriver(driver, fields)
        let stateKey = fields.present(SL_KEY_STATE, or: SL_KEY_STATUS)
        guard let (state, stage) = TripState.find(wire: try fields.text(stateKey)) else {
            throw FieldFault(reason: .unknownState, key: stateKey)
        }
        let tripID = try fields.identifier(fields.present(SL_KEY_TRIP_ID, or: SL_KEY_TRIP_ID_CAMEL))
        var message = TripMessage(
            tripID: tripID.string, driverID: driver.string,
            kind: .ride, state: state, stage: stage)
        message.changedAt = try fields.optionalTimestamp(fields.present(SL_KEY_CHANGED_AT, or: SL_KEY_TIMESTAMP))
        return message
    }

    private func message(driver: ByteSlice, _ fields: JSONFields) throws(FieldFault) -> TripMessage {
        var message = try beginning(driver: driver, fields)
        message.kind = try fields.optionalCode(SL_KEY_KIND, as: TripMessage.Kind.self) ?? .ride
        message.riderID = try fields.optionalName(SL_KEY_RIDER_ID)?.string
        message.triggeredBy = try fields.optionalName(SL_KEY_TRIGGERED_BY)?.string
        message.version = try fields.optionalInteger(SL_KEY_VERSION, in: 0 ... .max)
        message.routeID = try fields.optionalIdentifier(SL_KEY_ROUTE_ID)?.string
        message.vehicleNumber = vehicleNumber(fields)
        message.queuePosition = try fields.optionalInt(SL_KEY_QUEUE_POSITION, in: 0...1) ?? 0
        message.contextJSON = try opaque(fields, SL_KEY_CONTEXT, atMost: limits.contextBytes)
        message.stops = try stops(fields)
        if let route = try fields.optionalObject(SL_KEY_ROUTE) { message.route = try self.route(route) }
        return message
    }

    /// The vehicle's number, or its license plate.
    ///
    /// Only told to riders: a value of another form is none, and no reason to refuse the trip.
    private func vehicleNumber(_ fields: JSONFields) -> String? {
        if let number = try? fields.optionalName(SL_KEY_VEHICLE_NUMBER)?.string { return number }
        guard let vehicle = fields[SL_KEY_VEHICLE], vehicle.kind == SL_OBJECT else { return nil }
        return try? JSONFields(vehicle, in: inner).optionalName(SL_KEY_LICENSE_PLATE)?.string
    }

    /// An object that is passed on as it came, without white space.
    private func opaque(_ fields: JSONFields, _ key: sl_key, atMost limit: Int) throws(FieldFault) -> String? {
        guard let value = fields[key] else { return nil }
        guard value.kind == SL_OBJECT, let text = value.keptText else { throw FieldFault(reason: .wrongType, key: key) }
        guard let minified = innerParser.minify(text) else { throw FieldFault(reason: .malformedJSON, key: key) }
        guard minified.count <= limit else { throw FieldFault(reason: .tooLarge, key: key) }
        return minified.string
    }

    private func stops(_ fields: JSONFields) throws(FieldFault) -> [TripMessage.Stop] {
        guard let array = try fields.optionalArray(SL_KEY_STOPS) else { return [] }
        var stops: [TripMessage.Stop] = []
        for element in array.members {
            guard stops.count < limits.stops else { throw FieldFault(reason: .tooManyStops, key: SL_KEY_STOPS) }
            guard element.kind == SL_OBJECT else { throw FieldFault(reason: .wrongType, key: SL_KEY_STOPS) }
            stops.append(try stop(JSONFields(element, in: inner)))
        }
        return stops
    }

    private func stop(_ fields: JSONFields) throws(FieldFault) -> TripMessage.Stop {
        let id = try fields.name(SL_KEY_STOP_ID)
        // Rides that name their stops pickup and dropoff have said what these are.
        let implied: TripMessage.Stop.Kind = id == "pickup" ? .pickup : id == "dropoff" ? .dropoff : .stop
        return TripMessage.Stop(
            id: id.string, kind: try fields.optionalCode(SL_KEY_KIND, as: TripMessage.Stop.Kind.self) ?? implied,
            coordinate: try fields.coordinate(), scheduledAt: try fields.optionalTimestamp(SL_KEY_SCHEDULED_AT))
    }

    private func route(_ object: JSONValue) throws(FieldFault) -> TripMessage.Route {
        let fields = JSONFields(object, in: inner)
        let text = try fields.optionalText(SL_KEY_POLYLINE) ?? .empty
        let precision = try fields.optionalInt(SL_KEY_PRECISION, in: 5...6) ?? 5
        guard text.count <= limits.polylineBytes, let (polyline, points) = Polyline.read(text, precision: precision)
        else {
            throw FieldFault(reason: .invalidPolyline, key: SL_KEY_POLYLINE)
        }
        return TripMessage.Route(
            polyline: polyline, points: points,
            distanceMeters: try fields.optionalDouble(SL_KEY_DISTANCE_METERS, in: 0...1e9),
            durationSeconds: try fields.optionalDouble(SL_KEY_DURATION_SECONDS, in: 0...1e9))
    }
}
