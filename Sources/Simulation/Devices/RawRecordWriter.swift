import Domain
import Support

/// Encoder of raw records in the formats of devices; deliberately shares no code with the pipeline's reader.
package enum RawRecordWriter {
    /// Returns the raw record of one fix: JSON in the device's format.
    package static func record(_ fix: ReportedFix, driverID: String, format: DeviceFormat) -> [UInt8] {
        var writer = ByteWriter(capacity: 640)
        write(fix, driverID: driverID, format: format, into: &writer)
        return Array(writer.bytes.buffer)
    }

    /// Returns the record of a batch upload of at most 500 fixes.
    package static func batch(_ fixes: [ReportedFix], driverID: String, format: DeviceFormat) -> [UInt8] {
        precondition(fixes.count <= 500, "A batch upload may have at most 500 fixes.")
        var writer = ByteWriter(capacity: 640 * (fixes.count + 1))
        writer.append("{\"type\":\"location_batch\",\"driver_id\":")
        writer.appendQuoted(driverID)
        writer.append(",\"locations\":[")
        for (index, fix) in fixes.enumerated() {
            if index > 0 { writer.append(",") }
            write(fix, driverID: driverID, format: format, into: &writer)
        }
        writer.append("]}")
        return Array(writer.bytes.buffer)
    }

    private static func write(_ fix: ReportedFix, driverID: String, format: DeviceFormat, into writer: inout ByteWriter)
    {
        switch format {
        case .rideshare: writeRideshare(fix, driverID: driverID, into: &writer)
        case .mobile: writeMobile(fix, driverID: driverID, into: &writer)
        }
    }

    private static func writeRideshare(_ fix: ReportedFix, driverID: String, into writer: inout ByteWriter) {
        writer.append("{\"type\":\"location\",\"driver_id\":")
        writer.appendQuoted(driverID)
        writer.appendField(",\"session_id\":", fix.sessionID)
        writer.append(",\"sequence\":")
        writer.append(decimal: fix.sequence)
        writer.appendField(",\"payload\":{\"latitude\":", fix.coordinate.latitude, decimals: 9)
        writer.appendField(",\"longitude\":", fix.coordinate.longitude, decimals: 9)
        writer.appendField(",\"accuracy_meters\":", fix.accuracyMeters, decimals: 3)
        writer.appendField(",\"heading\":", fix.headingDegrees, decimals: 3)
        writer.appendField(",\"speed_mps\":", fix.speedMetersPerSecond, decimals: 3)
        writer.appendField(",\"altitude_meters\":", fix.altitudeMeters, decimals: 3)
        writer.append(",\"timestamp\":\"")
        writer.append(timeMilliseconds: fix.deviceAt.milliseconds)
        writer.append("\"")
        if let battery = fix.batteryPercent {
            writer.append(",\"battery_percent\":")
            writer.append(decimal: Int64(battery))
            writer.append(fix.isCharging ? ",\"is_charging\":true" : ",\"is_charging\":false")
        }
        writer.append(fix.isMock ? ",\"is_mock\":true" : ",\"is_mock\":false")
        switch fix.integrity {
        case .unknown: break
        case .passed: writer.append(",\"integrity\":\"PASSED\"")
        case .failed: writer.append(",\"integrity\":\"FAILED\"")
        }
        writer.appendField(",\"trip_id\":", fix.tripID ?? "")
        writer.append(",\"source\":\"")
        writer.append(fix.source.wireName)
        writer.append("\"")
        if let occupancy = fix.occupancyPercent {
            writer.append(",\"occupancy_percent\":")
            writer.append(decimal: Int64(occupancy))
        }
        writer.append("}}")
    }

    private static func writeMobile(_ fix: ReportedFix, driverID: String, into writer: inout ByteWriter) {
        writer.append("{\"type\":\"location_update\",\"id\":\"")
        writer.appendUUID(fix.identifier)
        writer.append("\",\"driver_id\":")
        writer.appendQuoted(driverID)
        writer.appendField(",\"session_id\":", fix.sessionID)
        writer.appendField(",\"trip_id\":", fix.tripID ?? "")
        writer.appendField(",\"coordinate\":{\"latitude\":", fix.coordinate.latitude, decimals: 9)
        writer.appendField(",\"longitude\":", fix.coordinate.longitude, decimals: 9)
        writer.appendField(",\"altitude\":", fix.altitudeMeters, decimals: 3)
        writer.appendField(",\"heading\":", fix.headingDegrees, decimals: 3)
        writer.appendField(",\"speed\":", fix.speedMetersPerSecond, decimals: 3)
        writer.append("},\"accuracy\":{\"vertical\":8")
        writer.appendField(",\"horizontal\":", fix.accuracyMeters, decimals: 3)
        writer.append(",\"headingAccuracy\":10,\"speedAccuracy\":0.5,\"confidence\":0.68},\"timestamp\":\"")
        writer.append(timeMilliseconds: fix.deviceAt.milliseconds)
        writer.append("\",\"source\":\"")
        writer.append(fix.source.wireName)
        writer.append("\",\"metadata\":{\"networkType\":\"lte\",\"motionActivity\":\"automotive\"")
        if let battery = fix.batteryPercent {
            writer.appendField(",\"batteryLevel\":", Double(battery) / 100, decimals: 2)
            writer.append(fix.isCharging ? ",\"isCharging\":true" : ",\"isCharging\":false")
        }
        writer.append("},\"sequence\":")
        writer.append(decimal: fix.sequence)
        writer.append("}")
    }
}

/// Format of a device's raw records.
package enum DeviceFormat: UInt8, Sendable, CaseIterable {
    /// `{"type":"location","payload":{…}}`, of ride-hailing apps.
    case rideshare
    /// `{"type":"location_update","coordinate":{…},"accuracy":{…}}`, of the schemas' mobile model.
    case mobile
}

extension Fix.Source {
    fileprivate var wireName: StaticString {
        switch self {
        case .unknown, .gps: "gps"
        case .wifi: "wifi"
        case .cellular: "cellular"
        case .fused: "fused"
        case .cached: "cached"
        }
    }
}

extension ByteWriter {
    fileprivate mutating func appendField(_ name: StaticString, _ value: Double?, decimals: Int) {
        guard let value else { return }
        append(name)
        appendNumber(value, decimals: decimals)
    }

    fileprivate mutating func appendField(_ name: StaticString, _ text: String) {
        guard !text.isEmpty else { return }
        append(name)
        appendQuoted(text)
    }

    /// Appends `value`, which must be within ±10⁹, with at most `decimals` decimals and without trailing zeros.
    mutating func appendNumber(_ value: Double, decimals: Int) {
        precondition(
            value.isFinite && abs(value) < 1e9 && decimals <= 9, "A simulated number must be finite and within ±10⁹.")
        append(decimal: value, places: decimals)
    }

    /// Appends a JSON string, quoted and escaped.
    mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(UInt8(ascii: "\\"))
                append(byte)
            } else if byte < 0x20 {
                append("\\u00")
                append(hexadecimalDigit: byte >> 4)
                append(hexadecimalDigit: byte & 15)
            } else {
                append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends `bits` as a UUID of version 4.
    mutating func appendUUID(_ bits: UInt128) {
        let cleared: UInt128 = 0xf000_c000_0000_0000_0000
        let version: UInt128 = 0x4000_8000_0000_0000_0000
        let marked = (bits & ~cleared) | version
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { append(UInt8(ascii: "-")) }
            append(hexadecimalDigit: UInt8(truncatingIfNeeded: marked >> UInt128(124 - index * 4)) & 15)
        }
    }
}
