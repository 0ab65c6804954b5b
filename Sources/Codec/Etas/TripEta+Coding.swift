import CSimdJSON
import Domain
import Support

extension TripEta: WireRecord {
    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws {
        try coder.event(&event)
        try coder.text(SL_KEY_TRIP_ID, &tripID, .identifier)
        try coder.text(SL_KEY_DRIVER_ID, &driverID, .identifier)
        try coder.text(SL_KEY_RIDER_ID, &riderID, .name)
        try coder.code(SL_KEY_KIND, &kind)
        try coder.text(SL_KEY_ROUTE_ID, &routeID, .identifier)
        try coder.text(SL_KEY_VEHICLE_NUMBER, &vehicleNumber, .name)
        try coder.code(SL_KEY_STATE, &state)
        try coder.code(SL_KEY_STAGE, &stage)
        try coder.integer(SL_KEY_VERSION, &version)
        try coder.time(SL_KEY_COMPUTED_AT, &computedAt)
        try codeChange(with: &coder)
        try codePosition(with: &coder)
        try codeProgress(with: &coder)
        try coder.stops(SL_KEY_STOPS, &stops, computedAt: nil)
        try coder.number(SL_KEY_DRIVEN_METERS, &drivenMeters, .tenths)
        try coder.number(SL_KEY_SNAPPED_METERS, &snappedMeters, .tenths)
        try coder.number(SL_KEY_PLANNED_METERS, &plannedMeters, .tenths)
        try coder.codes(SL_KEY_FARE_CHECKS, &fareChecks, isOptional: true)
    }

    private mutating func codeChange<Coder: RecordCoder>(with coder: inout Coder) throws {
        guard coder.contains(SL_KEY_CHANGE, change != nil) else {
            if Coder.isReading { change = nil }
            return
        }
        var change = change ?? .blank
        try coder.open(SL_KEY_CHANGE)
        try coder.time(SL_KEY_CHANGED_AT, &change.changedAt)
        try coder.code(SL_KEY_PREVIOUS_STATE, &change.previousState)
        try coder.text(SL_KEY_TRIGGERED_BY, &change.triggeredBy, .name)
        try coder.text(SL_KEY_ROUTE_POLYLINE, &change.routePolyline, .any)
        try coder.json(SL_KEY_CONTEXT, &change.contextJSON)
        try coder.json(SL_KEY_FACTS, &change.factsJSON)
        try coder.close()
        if Coder.isReading { self.change = change }
    }

    private mutating func codePosition<Coder: RecordCoder>(with coder: inout Coder) throws {
        guard coder.contains(SL_KEY_POSITION, position != nil) else {
            if Coder.isReading { position = nil }
            return
        }
        var position = position ?? .blank
        try coder.open(SL_KEY_POSITION)
        try coder.coordinate(&position.coordinate)
        try coder.number(SL_KEY_HEADING, &position.headingDegrees, .heading)
        try coder.number(SL_KEY_SPEED_MPS, &position.speedMetersPerSecond, .hundredths)
        try coder.number(SL_KEY_ACCURACY_METERS, &position.accuracyMeters, .hundredths)
        try coder.time(SL_KEY_FIXED_AT, &position.fixedAt)
        try coder.close()
        if Coder.isReading { self.position = position }
    }

    private mutating func codeProgress<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.number(SL_KEY_PROGRESS_METERS, &progressMeters, .tenths)
        try coder.bool(SL_KEY_OFF_ROUTE, &isOffRoute)
        try coder.number(SL_KEY_OFF_ROUTE_METERS, &offRouteMeters, .tenths)
        try coder.bool(SL_KEY_IS_HALTED, &isHalted)
        try coder.rareFlag(SL_KEY_IS_SILENT, &isSilent)
        try coder.bool(SL_KEY_IS_STALE, &isStale)
        try coder.rareFlag(SL_KEY_IS_PROVISIONAL, &isProvisional)
        try coder.rareFlag(SL_KEY_IS_DISPLACED, &isDisplaced)
        try coder.code(SL_KEY_TRAFFIC_CONDITIONS, &traffic)
        try coder.integer(SL_KEY_OCCUPANCY_PERCENT, &occupancyPercent)
        try coder.text(SL_KEY_DETECTED_ARRIVAL, &detectedArrivalStopID, .name)
        try coder.text(SL_KEY_NEXT_STOP_ID, &nextStopID, .name)
        try coder.text(SL_KEY_PASSED_STOP_ID, &passedStopID, .name)
        try coder.time(SL_KEY_PASSED_AT, &passedAt)
        try coder.text(SL_KEY_LAST_STOP_ID, &lastStopID, .name)
    }
}

extension TripEta.Stop {
    /// Writes or reads a stop of `trip.etas` or `rider.updates`; only the latter has `computedAt`.
    mutating func code<Coder: RecordCoder>(computedAt: Timestamp?, with coder: inout Coder) throws {
        try coder.text(SL_KEY_STOP_ID, &id, .name)
        try coder.code(SL_KEY_KIND, &kind)
        try coder.code(SL_KEY_STATUS, &status)
        try coder.integer(SL_KEY_SECONDS, &seconds)
        try coder.integer(SL_KEY_MIN_SECONDS, &minSeconds)
        try coder.integer(SL_KEY_MAX_SECONDS, &maxSeconds)
        try coder.code(SL_KEY_CONFIDENCE, &confidence)
        try coder.number(SL_KEY_DISTANCE_METERS, &distanceMeters, .tenths)
        try coder.time(SL_KEY_ARRIVES_AT, &arrivesAt)
        try coder.time(SL_KEY_SCHEDULED_AT, &scheduledAt)
        try coder.integer(SL_KEY_DELAY_SECONDS, &delaySeconds)
        try coder.code(SL_KEY_DELAY, &delay)
        var computedAt = computedAt
        try coder.time(SL_KEY_COMPUTED_AT, &computedAt)
    }
}
