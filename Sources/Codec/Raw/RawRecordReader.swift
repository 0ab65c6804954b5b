import CSimdJSON
import Domain
import Support

package enum RawReadResult: Sendable {
    /// The record's fix, or the fixes of a batch, are in ``RawRecordReader/fixes``.
    case fixes(isBatch: Bool)
    /// The record goes to the dead letters; `detail` is the invalid field, empty for the whole record.
    case unreadable(DeadLetterReason, detail: FieldName)
}

/// Reader of `driver.locations.raw`: all device formats, with or without envelope, and batches.
///
/// ``AcceptedNames`` lists the accepted names. Unknown fields are ignored, but must be valid JSON; null means missing;
/// the last of several fields with the same name counts. Unreadable fixes of a batch are included, with the reason. Use
/// one per partition or thread. Reading allocates nothing once the buffers fit the records.
package final class RawRecordReader {
    /// The fixes of the last record; replaced by the next read.
    package private(set) var fixes: [RawFix] = []
    /// Number of unreadable ``fixes``.
    package private(set) var unreadableCount = 0
    /// Whether the last record was plain JSON, like most records, and was read without simdjson.
    private(set) var isPlain = false
    private let parser = JSONParser()

    package init() { fixes.reserveCapacity(8) }

    /// Reads one record, whose key is the driver id, into ``fixes``, or returns the fault.
    package func read(key: ByteSlice, value: ByteSlice?) -> RawReadResult {
        fixes.removeAll(keepingCapacity: true)
        unreadableCount = 0
        guard !key.isEmpty else { return .unreadable(.missingKey, detail: .none) }
        guard Identifier.isValid(key) else { return .unreadable(.invalidKey, detail: .none) }
        guard let value, let start = value.start, value.count > 0 else {
            return .unreadable(.emptyValue, detail: .none)
        }
        guard value.count <= RawLimits.batchBytes else { return .unreadable(.tooLarge, detail: .none) }

        var raw = sl_raw()
        let driver = sl_text(start: key.start?.assumingMemoryBound(to: UInt8.self), count: key.count)
        let json = start.assumingMemoryBound(to: UInt8.self)
        let status = sl_read_raw(parser.handle, json, value.count, driver, RawLimits.batchFixes, &raw)
        isPlain = raw.is_plain
        if let reason = DeadLetterReason(status) { return .unreadable(reason, detail: FieldName(key: raw.key)) }
        guard raw.is_batch || value.count <= RawLimits.singleBytes else { return .unreadable(.tooLarge, detail: .none) }
        for index in 0..<raw.count { append(raw.fixes + index, isBatched: raw.is_batch) }
        if let last = fixes.lastIndex(where: { $0.unreadable == nil }) {
            for index in 0..<last { fixes[index].hasLaterFix = true }
        }
        return .fixes(isBatch: raw.is_batch)
    }

    @inline(__always) private func append(_ source: UnsafePointer<sl_fix>, isBatched: Bool) {
        var fix = Fix(coordinate: Coordinate(latitude: source.pointee.latitude, longitude: source.pointee.longitude))
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
        raw.report = DeviceReport(source.pointee)
        if source.pointee.status != SL_OK {
            raw.unreadable = DeadLetterReason(source.pointee.status)
            raw.unreadableField = FieldName(key: source.pointee.status_key)
            unreadableCount += 1
        }
        fixes.append(raw)
    }
}
