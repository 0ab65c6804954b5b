import Bytes
import CSimdJSON
import Pipeline
import Tracking

/// Reading what ``TripEtaWriter`` writes from fix to fix, byte by byte in its order of members: no tree is made.
extension TripEtaReader {
    /// As ``read(_:into:)``; `nil` for records in any other form, valid or not, and `eta` is then a mixture.
    func readWritten(_ value: ByteSlice, into eta: inout TripEta) -> EventID? {
        guard let start = value.start?.assumingMemoryBound(to: UInt8.self), value.count > 0,
            sl_read_written_eta(parser.handle, start, value.count, written),
            let event = EventID(ByteSlice(written.pointee.event_id)), identity(written, &eta), progress(written, &eta),
            stops(written, &eta)
        else { return nil }
        eta.position = position(written)
        // Records with any of these are left to the general reader.
        eta.change = nil
        eta.fareChecks = FareChecks(rawValue: 0)
        return event
    }

    private func identity(_ record: UnsafePointer<sl_eta>, _ eta: inout TripEta) -> Bool {
        guard let kind = TripMessage.Kind(ByteSlice(record.pointee.kind)),
            let state = TripState(ByteSlice(record.pointee.state))
        else { return false }
        eta.tripID.become(ByteSlice(record.pointee.trip_id))
        eta.driverID.become(ByteSlice(record.pointee.driver_id))
        eta.riderID.become(present(record.pointee.rider_id))
        eta.kind = kind
        eta.routeID.become(present(record.pointee.route_id))
        eta.state = state
        eta.version = has(SL_ETA_VERSION, record) ? record.pointee.version : nil
        eta.computedAt = Timestamp(milliseconds: record.pointee.computed_ms)
        return true
    }

    private func progress(_ record: UnsafePointer<sl_eta>, _ eta: inout TripEta) -> Bool {
        guard let traffic = TripEta.Traffic(ByteSlice(record.pointee.traffic)) else { return false }
        eta.progressMeters = has(SL_ETA_PROGRESS, record) ? record.pointee.progress_meters : nil
        eta.isOffRoute = record.pointee.is_off_route
        eta.offRouteMeters = has(SL_ETA_OFF_ROUTE, record) ? record.pointee.off_route_meters : nil
        eta.isHalted = record.pointee.is_halted
        eta.isStale = record.pointee.is_stale
        eta.traffic = traffic
        eta.occupancyPercent = has(SL_ETA_OCCUPANCY, record) ? Int(record.pointee.occupancy_percent) : nil
        eta.detectedArrivalStopID.become(present(record.pointee.detected_arrival))
        eta.nextStopID.become(present(record.pointee.next_stop_id))
        eta.passedStopID.become(present(record.pointee.passed_stop_id))
        eta.passedAt = has(SL_ETA_PASSED_AT, record) ? Timestamp(milliseconds: record.pointee.passed_ms) : nil
        eta.lastStopID.become(present(record.pointee.last_stop_id))
        eta.drivenMeters = has(SL_ETA_DRIVEN, record) ? record.pointee.driven_meters : nil
        eta.snappedMeters = has(SL_ETA_SNAPPED, record) ? record.pointee.snapped_meters : nil
        eta.plannedMeters = has(SL_ETA_PLANNED, record) ? record.pointee.planned_meters : nil
        return true
    }

    private func position(_ record: UnsafePointer<sl_eta>) -> TripEta.Position? {
        guard has(SL_ETA_POSITION, record) else { return nil }
        return TripEta.Position(
            coordinate: Coordinate(latitude: record.pointee.latitude, longitude: record.pointee.longitude),
            headingDegrees: has(SL_ETA_HEADING, record) ? record.pointee.heading : nil,
            speedMetersPerSecond: record.pointee.speed_mps, accuracyMeters: record.pointee.accuracy_meters,
            fixedAt: Timestamp(milliseconds: record.pointee.fixed_ms))
    }

    private func stops(_ record: UnsafePointer<sl_eta>, _ eta: inout TripEta) -> Bool {
        let count = record.pointee.stop_count
        while eta.stops.count < count { eta.stops.append(TripEta.Stop(id: "", kind: .stop, status: .unavailable)) }
        if eta.stops.count > count { eta.stops.removeLast(eta.stops.count - count) }
        guard let first = record.pointee.stops else { return count == 0 }
        for index in 0..<count where !EtaStop.read(first + index, into: &eta.stops[index]) { return false }
        return true
    }

    @inline(__always)
    private func has(_ bit: Int, _ record: UnsafePointer<sl_eta>) -> Bool { record.pointee.present & UInt32(bit) != 0 }

    @inline(__always)
    private func present(_ text: sl_text) -> ByteSlice? { text.start == nil ? nil : ByteSlice(text) }
}

extension EtaStop {
    /// Reads a stop into `stop`, keeping what storage it can; `false` for words that are not known.
    static func read(_ record: UnsafePointer<sl_eta_stop>, into stop: inout TripEta.Stop) -> Bool {
        guard let kind = TripMessage.Stop.Kind(ByteSlice(record.pointee.kind)),
            let status = TripEta.StopStatus(ByteSlice(record.pointee.status)),
            let delay = TripEta.Delay(ByteSlice(record.pointee.delay))
        else { return false }
        stop.id.become(ByteSlice(record.pointee.id))
        stop.kind = kind
        stop.status = status
        stop.seconds = has(SL_ETA_STOP_SECONDS, record) ? Int(record.pointee.seconds) : nil
        stop.minSeconds = has(SL_ETA_STOP_MIN_SECONDS, record) ? Int(record.pointee.min_seconds) : nil
        stop.maxSeconds = has(SL_ETA_STOP_MAX_SECONDS, record) ? Int(record.pointee.max_seconds) : nil
        stop.confidence = Confidence(ByteSlice(record.pointee.confidence))
        stop.distanceMeters = has(SL_ETA_STOP_DISTANCE, record) ? record.pointee.distance_meters : nil
        stop.arrivesAt = time(SL_ETA_STOP_ARRIVES_AT, record.pointee.arrives_ms, record)
        stop.scheduledAt = time(SL_ETA_STOP_SCHEDULED_AT, record.pointee.scheduled_ms, record)
        stop.delaySeconds = has(SL_ETA_STOP_DELAY_SECONDS, record) ? Int(record.pointee.delay_seconds) : nil
        stop.delay = delay
        return record.pointee.confidence.start == nil || stop.confidence != nil
    }

    @inline(__always)
    private static func has(_ bit: Int, _ record: UnsafePointer<sl_eta_stop>) -> Bool {
        record.pointee.present & UInt32(bit) != 0
    }

    @inline(__always)
    private static func time(
        _ bit: Int, _ milliseconds: Int64, _ record: UnsafePointer<sl_eta_stop>
    ) -> Timestamp? {
        has(bit, record) ? Timestamp(milliseconds: milliseconds) : nil
    }
}
