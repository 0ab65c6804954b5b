import Bytes
import CSimdJSON
import Pipeline
import Tracking

/// Reads records of `trip.etas`; one per thread.
package final class TripEtaReader {
    let parser = JSONParser()
    /// For the context of a change, which is read while the record still is.
    private let contextParser = JSONParser()
    /// What ``readWritten(_:into:)`` reads into.
    let written: UnsafeMutablePointer<sl_eta>
    private let record = JSONSlots()
    private let inner = JSONSlots()

    package init() {
        written = .allocate(capacity: 1)
        written.initialize(to: sl_eta())
    }

    deinit { written.deallocate() }

    /// Reads one record into `eta`, reusing its storage: texts that are the same as before keep theirs, so reading the
    /// records of one trip one after another allocates nothing.
    /// - Returns: the event's id, or `nil` when the record is not one that ``TripEtaWriter`` could have written; `eta`
    ///   is then a mixture and means nothing.
    package func read(_ value: ByteSlice, into eta: inout TripEta) -> EventID? {
        if let event = readWritten(value, into: &eta) { return event }
        var object: JSONValue?
        guard parser.read(value, keeping: SL_KEY_CONTEXT, into: &object) == SL_OK, let object else { return nil }
        do {
            let fields = JSONFields(object, in: record)
            try identity(fields, &eta)
            try progress(fields, &eta)
            try position(fields, &eta)
            try change(fields, &eta)
            guard let stops = try fields.optionalArray(SL_KEY_STOPS) else { return nil }
            try EtaStop.read(stops, into: &eta.stops, slots: inner)
            return try fields.eventID()
        } catch {
            return nil
        }
    }

    private func identity(_ fields: JSONFields, _ eta: inout TripEta) throws(FieldFault) {
        eta.tripID.become(try fields.identifier(SL_KEY_TRIP_ID))
        eta.driverID.become(try fields.identifier(SL_KEY_DRIVER_ID))
        eta.riderID.become(try fields.optionalName(SL_KEY_RIDER_ID))
        eta.kind = try fields.code(SL_KEY_KIND, as: TripMessage.Kind.self)
        eta.routeID.become(try fields.optionalIdentifier(SL_KEY_ROUTE_ID))
        eta.state = try fields.code(SL_KEY_STATE, as: TripState.self)
        eta.version = try fields.optionalInteger(SL_KEY_VERSION)
        eta.computedAt = try fields.timestamp(SL_KEY_COMPUTED_AT)
    }

    private func progress(_ fields: JSONFields, _ eta: inout TripEta) throws(FieldFault) {
        eta.progressMeters = try fields.optionalDouble(SL_KEY_PROGRESS_METERS)
        eta.isOffRoute = try fields.bool(SL_KEY_OFF_ROUTE)
        eta.offRouteMeters = try fields.optionalDouble(SL_KEY_OFF_ROUTE_METERS)
        eta.isHalted = try fields.bool(SL_KEY_IS_HALTED)
        eta.isStale = try fields.bool(SL_KEY_IS_STALE)
        eta.traffic = try fields.code(SL_KEY_TRAFFIC_CONDITIONS, as: TripEta.Traffic.self)
        eta.occupancyPercent = try fields.optionalInt(SL_KEY_OCCUPANCY_PERCENT)
        eta.detectedArrivalStopID.become(try fields.optionalName(SL_KEY_DETECTED_ARRIVAL))
        eta.nextStopID.become(try fields.optionalName(SL_KEY_NEXT_STOP_ID))
        eta.passedStopID.become(try fields.optionalName(SL_KEY_PASSED_STOP_ID))
        eta.passedAt = try fields.optionalTimestamp(SL_KEY_PASSED_AT)
        eta.lastStopID.become(try fields.optionalName(SL_KEY_LAST_STOP_ID))
        eta.drivenMeters = try fields.optionalDouble(SL_KEY_DRIVEN_METERS)
        eta.snappedMeters = try fields.optionalDouble(SL_KEY_SNAPPED_METERS)
        eta.plannedMeters = try fields.optionalDouble(SL_KEY_PLANNED_METERS)
        eta.fareChecks = try fareChecks(fields)
    }

    /// Codes that are not known are those of a newer writer, and left out.
    private func fareChecks(_ fields: JSONFields) throws(FieldFault) -> FareChecks {
        // `[]` and `insert` would go through generic code of sets, which is not specialised across modules.
        var checks = FareChecks(rawValue: 0)
        guard let codes = try fields.optionalArray(SL_KEY_FARE_CHECKS) else { return checks }
        for element in codes.members {
            guard let text = element.text else { throw FieldFault(reason: .wrongType, key: SL_KEY_FARE_CHECKS) }
            for (code, check) in FareChecks.all where text == code {
                checks = FareChecks(rawValue: checks.rawValue | check.rawValue)
            }
        }
        return checks
    }

    private func position(_ fields: JSONFields, _ eta: inout TripEta) throws(FieldFault) {
        guard let object = try fields.optionalObject(SL_KEY_POSITION) else {
            eta.position = nil
            return
        }
        let fields = JSONFields(object, in: inner)
        eta.position = TripEta.Position(
            coordinate: try fields.coordinate(), headingDegrees: try fields.optionalDouble(SL_KEY_HEADING),
            speedMetersPerSecond: try fields.double(SL_KEY_SPEED_MPS),
            accuracyMeters: try fields.double(SL_KEY_ACCURACY_METERS), fixedAt: try fields.timestamp(SL_KEY_FIXED_AT))
    }

    private func change(_ fields: JSONFields, _ eta: inout TripEta) throws(FieldFault) {
        guard let object = try fields.optionalObject(SL_KEY_CHANGE) else {
            eta.change = nil
            return
        }
        let fields = JSONFields(object, in: inner)
        eta.change = TripEta.Change(
            previousState: try fields.optionalCode(SL_KEY_PREVIOUS_STATE, as: TripState.self),
            triggeredBy: try fields.optionalName(SL_KEY_TRIGGERED_BY)?.string,
            changedAt: try fields.timestamp(SL_KEY_CHANGED_AT),
            routePolyline: try fields.optionalText(SL_KEY_ROUTE_POLYLINE)?.string,
            contextJSON: try context(fields))
    }

    private func context(_ fields: JSONFields) throws(FieldFault) -> String? {
        guard let text = fields[SL_KEY_CONTEXT]?.keptText else { return nil }
        // Kept text has been checked for balance alone.
        guard let minified = contextParser.minify(text) else {
            throw FieldFault(reason: .malformedJSON, key: SL_KEY_CONTEXT)
        }
        return minified.string
    }
}
