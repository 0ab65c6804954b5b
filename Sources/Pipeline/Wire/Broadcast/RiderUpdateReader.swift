import Bytes
import CSimdJSON
import Tracking

/// Reads records of `rider.updates`; one per thread.
package final class RiderUpdateReader {
    private let parser = JSONParser()
    private let contextParser = JSONParser()
    private let record = JSONSlots()
    private let payload = JSONSlots()
    private let inner = JSONSlots()

    package init() {}

    /// Reads one record; `nil` when it is not one that ``RiderUpdateWriter`` could have written.
    package func read(_ value: ByteSlice) -> RiderUpdateRecord? {
        var object: JSONValue?
        guard parser.read(value, keeping: SL_KEY_CONTEXT, into: &object) == SL_OK, let object else { return nil }
        do {
            let fields = JSONFields(object, in: record)
            let payload = JSONFields(try fields.object(SL_KEY_PAYLOAD), in: payload)
            return RiderUpdateRecord(
                eventID: try fields.eventID(), channel: try fields.text(SL_KEY_CHANNEL),
                update: try update(try fields.code(SL_KEY_TYPE, as: RiderUpdateType.self), payload))
        } catch {
            return nil
        }
    }

    private func update(_ type: RiderUpdateType, _ payload: JSONFields) throws(FieldFault) -> RiderUpdate {
        switch type {
        case .driverLocation: .driverLocation(try driverLocation(payload))
        case .etaUpdate: .eta(try eta(payload))
        case .tripStateChanged: .stateChanged(try stateChange(payload))
        case .vehiclePosition: .vehiclePosition(try vehiclePosition(payload))
        case .notification: .notification(try notification(payload))
        }
    }

    private func driverLocation(_ payload: JSONFields) throws(FieldFault) -> RiderUpdate.DriverLocation {
        let hint = JSONFields(try payload.object(SL_KEY_INTERPOLATION_HINT), in: inner)
        return RiderUpdate.DriverLocation(
            coordinate: try payload.coordinate(), headingDegrees: try payload.optionalDouble(SL_KEY_HEADING),
            speedMetersPerSecond: try payload.double(SL_KEY_SPEED_MPS),
            interpolationMilliseconds: try hint.optionalInt(SL_KEY_DURATION_MS) ?? 0,
            serverAt: try payload.timestamp(SL_KEY_SERVER_TIMESTAMP), isStale: try payload.bool(SL_KEY_IS_STALE),
            staleSeconds: try payload.optionalInt(SL_KEY_STALE_SECONDS) ?? 0)
    }

    private func eta(_ payload: JSONFields) throws(FieldFault) -> RiderUpdate.EtaUpdate {
        var update = RiderUpdate.EtaUpdate(
            computedAt: try payload.timestamp(SL_KEY_COMPUTED_AT), stops: [],
            routePolyline: try payload.optionalText(SL_KEY_ROUTE_POLYLINE)?.string,
            traffic: try payload.code(SL_KEY_TRAFFIC_CONDITIONS, as: TripEta.Traffic.self))
        if let stops = try payload.optionalArray(SL_KEY_STOP_ETAS) {
            try EtaStop.read(stops, into: &update.stops, slots: inner)
        }
        for key in [SL_KEY_PICKUP_ETA, SL_KEY_DROPOFF_ETA] {
            guard let object = try payload.optionalObject(key) else { continue }
            var stop = TripEta.Stop(id: "", kind: .stop, status: .unavailable)
            try EtaStop.read(JSONFields(object, in: inner), into: &stop)
            update.stops.append(stop)
        }
        return update
    }

    private func stateChange(_ payload: JSONFields) throws(FieldFault) -> RiderUpdate.StateChange {
        var change = RiderUpdate.StateChange(
            previousState: try payload.optionalCode(SL_KEY_PREVIOUS_STATE, as: TripState.self),
            state: try payload.code(SL_KEY_STATE, as: TripState.self),
            triggeredBy: try payload.optionalText(SL_KEY_TRIGGERED_BY)?.string,
            changedAt: try payload.timestamp(SL_KEY_TIMESTAMP))
        guard let context = payload[SL_KEY_CONTEXT]?.keptText else { return change }
        // Kept text has been checked for balance alone.
        guard contextParser.minify(context) != nil else {
            throw FieldFault(reason: .malformedJSON, key: SL_KEY_CONTEXT)
        }
        let (rest, hasDetectedArrival) = RiderContext.split(context)
        change.contextJSON = rest
        var object: JSONValue?
        if hasDetectedArrival, contextParser.read(context, into: &object) == SL_OK, let object {
            change.detectedArrivalStopID =
                try JSONFields(object, in: inner).optionalText(SL_KEY_DETECTED_ARRIVAL)?.string
        }
        return change
    }

    private func vehiclePosition(_ payload: JSONFields) throws(FieldFault) -> RiderUpdate.VehiclePosition {
        let place = JSONFields(try payload.object(SL_KEY_LAT_LNG), in: inner)
        return RiderUpdate.VehiclePosition(
            vehicleNumber: try payload.text(SL_KEY_VEHICLE_NUMBER).string,
            etaSeconds: try payload.optionalInt(SL_KEY_ETA),
            coordinate: try place.coordinate(SL_KEY_LAT, SL_KEY_LNG),
            isHalted: try payload.bool(SL_KEY_IS_BUS_HALTED),
            nextStopID: try payload.optionalText(SL_KEY_NEXT_STOP_ID_CAMEL)?.string,
            lastStopID: try payload.optionalText(SL_KEY_LAST_STOP_ID_CAMEL)?.string,
            passedStopID: try payload.optionalText(SL_KEY_PASSED_STOP_ID_CAMEL)?.string,
            passedAt: try payload.optionalTimestamp(SL_KEY_PASSED_STOP_TIME),
            bearingDegrees: try payload.optionalDouble(SL_KEY_VEHICLE_BEARING),
            at: try payload.timestamp(SL_KEY_TIME_STAMP_CAMEL), isStale: try payload.bool(SL_KEY_IS_STALE_CAMEL),
            occupancy: try payload.optionalCode(
                SL_KEY_OCCUPANCY_LEVEL, as: RiderUpdate.VehiclePosition.Occupancy.self) ?? .unknown)
    }

    private func notification(_ payload: JSONFields) throws(FieldFault) -> RiderUpdate.Notification {
        RiderUpdate.Notification(
            moment: try payload.code(SL_KEY_MOMENT, as: RiderUpdate.Notification.Moment.self),
            priority: try payload.code(SL_KEY_PRIORITY, as: RiderUpdate.Notification.Priority.self),
            etaChangeSeconds: try payload.optionalInt(SL_KEY_ETA_CHANGE_SECONDS))
    }
}
