import CSimdJSON
import Model
import Support

/// Reads records of `driver.locations.raw`: all device dialects, wrapped by a gateway or not, and batch uploads.
///
/// ``AcceptedNames`` lists the names under which members are read. Unknown fields are ignored, though they must be valid JSON; null means missing; of a name that comes twice the
/// last counts. Fields of the device may stand in `payload` or beside it. A record is answered whole: the fixes of a
/// batch that cannot be read carry the reason, and the others go on.
///
/// One per partition or thread. Reading allocates nothing once the buffers fit the records.
package final class RawRecordReader {
    /// The fixes of the record read last; replaced by the next read.
    package private(set) var fixes: [RawFix] = []
    /// How many of ``fixes`` cannot be read.
    package private(set) var unreadableCount = 0
    /// Whether the last record was of plain form, as most are, and needed no general reader.
    private(set) var isPlain = false
    private let parser = JSONParser()
    private let limits: RawLimits

    package init(limits: RawLimits = RawLimits()) {
        precondition(limits.problems().isEmpty, "A reader was made with limits that were not checked.")
        self.limits = limits
        fixes.reserveCapacity(8)
    }

    /// Reads one record.
    /// - Parameters:
    ///   - key: the record's key, the driver id.
    ///   - value: the record's value; `nil` when it has none.
    /// - Returns: whether ``fixes`` now holds the record's fixes, or why it cannot be read.
    package func read(key: ByteSlice, value: ByteSlice?) -> RawReadResult {
        fixes.removeAll(keepingCapacity: true)
        unreadableCount = 0
        guard !key.isEmpty else { return .unreadable(.missingKey, detail: "") }
        guard Identifier.isValid(key) else { return .unreadable(.invalidKey, detail: "") }
        guard let value, let start = value.start, value.count > 0 else { return .unreadable(.emptyValue, detail: "") }
        guard value.count <= limits.batchBytes else { return .unreadable(.tooLarge, detail: "") }

        var raw = sl_raw()
        let driver = sl_text(start: key.start?.assumingMemoryBound(to: UInt8.self), count: key.count)
        let json = start.assumingMemoryBound(to: UInt8.self)
        let status = sl_read_raw(parser.handle, json, value.count, driver, limits.batchFixes, &raw)
        isPlain = raw.is_plain
        if let reason = DeadLetterReason(status) {
            return .unreadable(reason, detail: Self.fieldName(raw.key))
        }
        guard raw.is_batch || value.count <= limits.singleBytes else { return .unreadable(.tooLarge, detail: "") }
        for index in 0..<raw.count { append(raw.fixes + index, isBatched: raw.is_batch) }
        if let last = fixes.lastIndex(where: { $0.unreadable == nil }) {
            for index in 0..<last { fixes[index].isFollowed = true }
        }
        return .fixes(isBatch: raw.is_batch)
    }

    @inline(__always)
    private func append(_ source: UnsafePointer<sl_fix>, isBatched: Bool) {
        var fix = Fix(
            coordinate: Coordinate(latitude: source.pointee.latitude, longitude: source.pointee.longitude))
        let present = source.pointee.present
        @inline(__always) func has(_ bit: Int) -> Bool { present & UInt32(bit) != 0 }
        if has(SL_FIX_ACCURACY) { fix.accuracyMeters = source.pointee.accuracy_meters }
        if has(SL_FIX_HEADING) { fix.headingDegrees = source.pointee.heading }
        if has(SL_FIX_SPEED) { fix.speedMetersPerSecond = source.pointee.speed_mps }
        if has(SL_FIX_ALTITUDE) { fix.altitudeMeters = source.pointee.altitude_meters }
        if has(SL_FIX_DEVICE_TIME) { fix.deviceAt = Timestamp(milliseconds: source.pointee.device_ms) }
        if has(SL_FIX_SEQUENCE) { fix.sequence = source.pointee.sequence }
        fix.hasZeroAccuracy = has(SL_FIX_ZERO_ACCURACY)
        fix.hasInvalidPosition = has(SL_FIX_NEGATIVE_ACCURACY)
        fix.sessionHash = source.pointee.session_hash
        fix.contentHash = source.pointee.content_hash
        fix.identityHash = source.pointee.identity_hash
        fix.source = Fix.Source(rawValue: source.pointee.source) ?? .unknown
        fix.integrity = Fix.Integrity(rawValue: source.pointee.integrity) ?? .unknown
        fix.isMock = source.pointee.is_mock
        fix.isOnTrip = source.pointee.trip_id.count > 0
        fix.isBatched = isBatched

        var raw = RawFix(fix: fix)
        raw.sessionID = ByteSlice(source.pointee.session_id)
        raw.tripID = ByteSlice(source.pointee.trip_id)
        if has(SL_FIX_BATTERY) { raw.batteryPercent = Int(source.pointee.battery_percent) }
        if has(SL_FIX_OCCUPANCY) { raw.occupancyPercent = Int(source.pointee.occupancy_percent) }
        raw.report = Self.report(source)
        if source.pointee.status != SL_OK {
            raw.unreadable = DeadLetterReason(source.pointee.status)
            raw.unreadableField = Self.fieldName(source.pointee.status_key)
            unreadableCount += 1
        }
        fixes.append(raw)
    }

    @inline(__always)
    private static func report(_ source: UnsafePointer<sl_fix>) -> DeviceReport {
        var report = DeviceReport()
        let present = source.pointee.present
        @inline(__always) func has(_ bit: Int) -> Bool { present & UInt32(bit) != 0 }
        if has(SL_FIX_ALTITUDE_ACCURACY) { report.altitudeAccuracyMeters = source.pointee.altitude_accuracy_meters }
        if has(SL_FIX_HEADING_ACCURACY) { report.headingAccuracyDegrees = source.pointee.heading_accuracy_degrees }
        if has(SL_FIX_SPEED_ACCURACY) { report.speedAccuracyMetersPerSecond = source.pointee.speed_accuracy_mps }
        if has(SL_FIX_MOCK) { report.isMock = source.pointee.is_mock }
        if has(SL_FIX_CHARGING) { report.isCharging = source.pointee.is_charging }
        let (network, motion) = (source.pointee.network_type, source.pointee.motion_activity)
        if network != 0 { report.networkType = NetworkType(rawValue: network) }
        if motion != 0 { report.motionActivity = MotionActivity(rawValue: motion) }
        return report
    }

    /// The name of a field of raw records; empty for any other.
    private static func fieldName(_ key: sl_key) -> StaticString {
        switch key {
        case SL_KEY_TYPE: "type"
        case SL_KEY_DRIVER_ID: "driver_id"
        case SL_KEY_DRIVER_ID_CAMEL: "driverId"
        case SL_KEY_SESSION_ID: "session_id"
        case SL_KEY_SESSION_ID_CAMEL: "sessionId"
        case SL_KEY_TRIP_ID: "trip_id"
        case SL_KEY_TRIP_ID_CAMEL: "tripId"
        case SL_KEY_SEQUENCE: "sequence"
        case SL_KEY_PAYLOAD: "payload"
        case SL_KEY_LOCATIONS: "locations"
        case SL_KEY_COORDINATE: "coordinate"
        case SL_KEY_ACCURACY: "accuracy"
        case SL_KEY_METADATA: "metadata"
        case SL_KEY_TIMESTAMP: "timestamp"
        case SL_KEY_SOURCE: "source"
        case SL_KEY_LATITUDE: "latitude"
        case SL_KEY_LONGITUDE: "longitude"
        case SL_KEY_LAT_LNG: "latLng"
        case SL_KEY_LAT: "lat"
        case SL_KEY_LNG: "lng"
        case SL_KEY_ALTITUDE: "altitude"
        case SL_KEY_ALTITUDE_METERS: "altitude_meters"
        case SL_KEY_ALTITUDE_METERS_CAMEL: "altitudeMeters"
        case SL_KEY_HEADING: "heading"
        case SL_KEY_SPEED: "speed"
        case SL_KEY_SPEED_MPS: "speed_mps"
        case SL_KEY_SPEED_MPS_CAMEL: "speedMps"
        case SL_KEY_HORIZONTAL: "horizontal"
        case SL_KEY_ACCURACY_METERS: "accuracy_meters"
        case SL_KEY_ACCURACY_METERS_CAMEL: "accuracyMeters"
        case SL_KEY_BATTERY_LEVEL: "batteryLevel"
        case SL_KEY_BATTERY_PERCENT: "battery_percent"
        case SL_KEY_BATTERY_PERCENT_CAMEL: "batteryPercent"
        case SL_KEY_OCCUPANCY_PERCENT: "occupancy_percent"
        case SL_KEY_OCCUPANCY_PERCENT_CAMEL: "occupancyPercent"
        case SL_KEY_IS_MOCK: "is_mock"
        case SL_KEY_IS_MOCK_CAMEL: "isMock"
        case SL_KEY_INTEGRITY: "integrity"
        case SL_KEY_VERTICAL: "vertical"
        case SL_KEY_HEADING_ACCURACY: "headingAccuracy"
        case SL_KEY_SPEED_ACCURACY: "speedAccuracy"
        case SL_KEY_NETWORK_TYPE_CAMEL: "networkType"
        case SL_KEY_IS_CHARGING_CAMEL: "isCharging"
        case SL_KEY_MOTION_ACTIVITY_CAMEL: "motionActivity"
        case SL_KEY_ALTITUDE_ACCURACY_METERS: "altitude_accuracy_meters"
        case SL_KEY_HEADING_ACCURACY_DEGREES: "heading_accuracy_degrees"
        case SL_KEY_SPEED_ACCURACY_MPS: "speed_accuracy_mps"
        case SL_KEY_IS_CHARGING: "is_charging"
        case SL_KEY_NETWORK_TYPE: "network_type"
        case SL_KEY_MOTION_ACTIVITY: "motion_activity"
        default: ""
        }
    }
}
