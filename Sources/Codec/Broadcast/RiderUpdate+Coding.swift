import CSimdJSON
import Domain
import Support

extension RiderUpdateRecord: WireRecord {
    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws {
        var type = RiderUpdateType(update)
        try coder.code(SL_KEY_TYPE, &type)
        try coder.event(&event)
        try coder.text(SL_KEY_CHANNEL, &channel)
        if Coder.isReading { update = type.blank }
        try coder.open(SL_KEY_PAYLOAD)
        switch update {
        case .driverLocation(var location):
            try location.code(with: &coder)
            if Coder.isReading { update = .driverLocation(location) }
        case .eta(var eta):
            try eta.code(with: &coder)
            if Coder.isReading { update = .eta(eta) }
        case .stateChanged(var change):
            try change.code(channel: channel, with: &coder)
            if Coder.isReading { update = .stateChanged(change) }
        case .vehiclePosition(var position):
            try position.code(with: &coder)
            if Coder.isReading { update = .vehiclePosition(position) }
        case .notification(var notification):
            try notification.code(with: &coder)
            if Coder.isReading { update = .notification(notification) }
        case .vehicleLeft(var vehicle):
            try vehicle.code(with: &coder)
            if Coder.isReading { update = .vehicleLeft(vehicle) }
        }
        try coder.close()
    }
}

extension RiderUpdate.DriverLocation {
    fileprivate mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.coordinate(&coordinate)
        try coder.number(SL_KEY_HEADING, &headingDegrees, .heading)
        try coder.number(SL_KEY_SPEED_MPS, &speedMetersPerSecond, .hundredths)
        try coder.open(SL_KEY_INTERPOLATION_HINT)
        try coder.integer(SL_KEY_DURATION_MS, &interpolationMilliseconds)
        try coder.derived(SL_KEY_EASING) { $0.code("linear") }
        try coder.close()
        try coder.time(SL_KEY_SERVER_TIMESTAMP, &fixedAt)
        try coder.bool(SL_KEY_IS_STALE, &isStale)
        try coder.integer(SL_KEY_STALE_SECONDS, &staleSeconds)
    }
}

extension RiderUpdate.EtaUpdate {
    fileprivate mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.time(SL_KEY_COMPUTED_AT, &computedAt)
        try coder.bool(SL_KEY_IS_STALE, &isStale)
        try coder.integer(SL_KEY_STALE_SECONDS, &staleSeconds, in: 0...1_000_000_000)
        if coder.contains(SL_KEY_STOP_ETAS, !isRide) {
            try coder.stops(SL_KEY_STOP_ETAS, &stops, computedAt: estimatedAt)
        }
        try codeStop(of: .pickup, SL_KEY_PICKUP_ETA, with: &coder)
        try codeStop(of: .dropoff, SL_KEY_DROPOFF_ETA, with: &coder)
        try coder.text(SL_KEY_ROUTE_POLYLINE, &routePolyline, .any)
        try coder.code(SL_KEY_TRAFFIC_CONDITIONS, &traffic)
    }

    /// Writes or reads a ride's pickup or dropoff as the member `key`.
    private mutating func codeStop<Coder: RecordCoder>(
        of kind: TripMessage.Stop.Kind, _ key: sl_key, with coder: inout Coder
    ) throws {
        let index = isRide ? stops.firstIndex { $0.kind == kind } : nil
        guard coder.contains(key, index != nil) else { return }
        var stop = index.map { stops[$0] } ?? .blank
        try coder.open(key)
        try stop.code(computedAt: estimatedAt, with: &coder)
        try coder.close()
        if Coder.isReading { stops.append(stop) }
    }

    /// Whether the stops are those of a ride: a pickup, a dropoff, or both in that order.
    private var isRide: Bool {
        switch stops.count {
        case 1: stops[0].kind != .stop
        case 2: stops[0].kind == .pickup && stops[1].kind == .dropoff
        default: false
        }
    }
}

extension RiderUpdate.StateChange {
    fileprivate mutating func code<Coder: RecordCoder>(channel: ByteSlice, with coder: inout Coder) throws {
        if let tripID = channel.dropping(prefix: "trip:") { try coder.derived(SL_KEY_TRIP_ID) { $0.text(tripID) } }
        try coder.code(SL_KEY_STATE, &state)
        try coder.code(SL_KEY_PREVIOUS_STATE, &previousState)
        try coder.derived(SL_KEY_ALLOWED_TRANSITIONS) { json in
            json.literal("[")
            for (index, state) in state.allowedTransitions.enumerated() {
                if index > 0 { json.literal(",") }
                json.code(state.code)
            }
            json.literal("]")
        }
        try coder.text(SL_KEY_TRIGGERED_BY, &triggeredBy, .any)
        try coder.time(SL_KEY_TIMESTAMP, &changedAt)
        try coder.code(SL_KEY_STAGE, &stage)
        if coder.contains(SL_KEY_REMATCHED, isRematched) { try coder.bool(SL_KEY_REMATCHED, &isRematched) }
        try coder.json(SL_KEY_FACTS, &factsJSON)
        var context = Coder.isReading ? nil : RiderContext.joined(self)
        try coder.json(SL_KEY_CONTEXT, &context)
        if Coder.isReading { RiderContext.split(context, into: &self) }
    }
}

extension RiderUpdate.VehiclePosition {
    fileprivate mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.text(SL_KEY_STREAM_ID, &streamID, .any)
        try coder.derived(SL_KEY_ETA_ID) { $0.path(streamID, nextStopID) }
        try coder.text(SL_KEY_VEHICLE_NUMBER_CAMEL, &vehicleNumber, .any)
        try coder.integer(SL_KEY_ETA, &etaSeconds)
        try coder.integer(SL_KEY_MIN_ETA, &minEtaSeconds)
        try coder.integer(SL_KEY_MAX_ETA, &maxEtaSeconds)
        try coder.integer(SL_KEY_DISTANCE_TO_REACH, &distanceMeters)
        try coder.open(SL_KEY_LAT_LNG)
        try coder.coordinate(&coordinate, SL_KEY_LAT, SL_KEY_LNG)
        try coder.close()
        try coder.bool(SL_KEY_IS_BUS_HALTED, &isHalted)
        try coder.text(SL_KEY_NEXT_STOP_ID_CAMEL, &nextStopID, .any)
        try coder.text(SL_KEY_LAST_STOP_ID_CAMEL, &lastStopID, .any)
        try coder.text(SL_KEY_PASSED_STOP_ID_CAMEL, &passedStopID, .any)
        try coder.milliseconds(SL_KEY_PASSED_STOP_TIME, &passedAt)
        try coder.integer(SL_KEY_VEHICLE_BEARING, &bearingDegrees)
        try coder.milliseconds(SL_KEY_TIME_STAMP_CAMEL, &at)
        try coder.bool(SL_KEY_IS_STALE_CAMEL, &isStale)
        try coder.integer(SL_KEY_STALE_SECONDS_CAMEL, &staleSeconds)
        try coder.code(SL_KEY_OCCUPANCY_LEVEL, &occupancy)
    }
}

extension RiderUpdate.VehicleLeft {
    fileprivate mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.text(SL_KEY_STREAM_ID, &streamID, .any)
        try coder.text(SL_KEY_VEHICLE_NUMBER_CAMEL, &vehicleNumber, .any)
        try coder.code(SL_KEY_STATE, &state)
        try coder.milliseconds(SL_KEY_TIME_STAMP_CAMEL, &at)
    }
}

extension RiderUpdate.Notification {
    fileprivate mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.code(SL_KEY_MOMENT, &kind)
        try coder.code(SL_KEY_PRIORITY, &priority)
        try coder.integer(SL_KEY_ETA_CHANGE_SECONDS, &etaChangeSeconds)
        try coder.text(SL_KEY_TRIGGERED_BY, &triggeredBy, .any)
        try coder.json(SL_KEY_FACTS, &factsJSON)
    }
}

extension RiderUpdateType {
    fileprivate var blank: RiderUpdate {
        switch self {
        case .driverLocation: .driverLocation(.blank)
        case .etaUpdate: .eta(.blank)
        case .tripStateChanged: .stateChanged(.blank)
        case .vehiclePosition: .vehiclePosition(.blank)
        case .vehicleLeft: .vehicleLeft(.blank)
        case .notification: .notification(.blank)
        }
    }
}
