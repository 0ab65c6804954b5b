@testable import Codec
@testable import Support

/// Raw records in the formats of devices.
enum RawSamples {
    static let rideshare = """
        {"type":"location","driver_id":"drv_17","session_id":"s1","sequence":1847,"payload":{"latitude":37.7751,\
        "longitude":-122.4183,"accuracy_meters":5.2,"heading":45.0,"speed_mps":12.5,"altitude_meters":15.0,\
        "timestamp":"2025-03-14T18:32:15.123Z","battery_percent":72,"is_charging":false,"is_mock":false,\
        "integrity":"PASSED","trip_id":"tr_4e5f","source":"gps","occupancy_percent":40}}
        """

    static let mobile = """
        {"type":"location_update","id":"7b0c1c9e-0ff1-4c3a-9c39-6c1d5d1f6c11","coordinate":{"latitude":37.7751,\
        "longitude":-122.4183,"altitude":15.0,"heading":45.0,"speed":12.5},"accuracy":{"horizontal":5.2,\
        "vertical":8.1,"headingAccuracy":2.0,"speedAccuracy":0.5,"confidence":0.9},\
        "timestamp":"2025-03-14T18:32:15.123Z","source":"fused","metadata":{"batteryLevel":0.72,\
        "networkType":"lte","isCharging":false,"motionActivity":"automotive","signalStrength":-80},"sequence":1847}
        """

    /// A message of the mobile model from its iOS app: `tripId`, accuracy as a number, Swift's dates.
    static let envelope = """
        {"type":"location_update","payload":{"tripId":"tr_4e5f","latitude":37.7751,"longitude":-122.4183,"heading":45,\
        "speed":12.5,"accuracy":5.2,"timestamp":763669935.123},"timestamp":763669999.5,\
        "messageId":"4A9B1F0E-5C38-44A5-8B43-0C1D1F0E9A11"}
        """

    /// A stored record of the mobile model from its Android app: without type and sequence, words in capitals.
    static let stored = """
        {"id":"7b0c1c9e-0ff1-4c3a-9c39-6c1d5d1f6c11","coordinate":{"latitude":37.7751,"longitude":-122.4183,\
        "altitude":15.0,"heading":45.0,"speed":12.5},"accuracy":{"horizontal":5.2,"vertical":8.1,"confidence":"HIGH"},\
        "timestamp":1741977135123,"source":"CACHED","metadata":{"batteryLevel":0.72,"networkType":"LTE"}}
        """

    static func batch(_ elements: [String]) -> String {
        "{\"type\":\"location_batch\",\"driver_id\":\"drv_17\",\"session_id\":\"s9\",\"locations\":["
            + elements.joined(separator: ",") + "]}"
    }

    /// Returns a rideshare record with these members in its payload.
    static func payload(_ members: String) -> String { "{\"type\":\"location\",\"payload\":{\(members)}}" }

    /// Returns a valid record, with `extra` members at the end of its payload.
    static func good(_ extra: String = "") -> String {
        payload("\"latitude\":1,\"longitude\":2,\"timestamp\":1741977135123" + (extra.isEmpty ? "" : ",\(extra)"))
    }
}

extension RawRecordReader {
    func read(_ value: String, key: String = "drv_17") -> RawReadResult {
        ByteSlice.withBytes(of: key) { key in ByteSlice.withBytes(of: value) { read(key: key, value: $0) } }
    }

    func read(_ value: [UInt8], key: String = "drv_17") -> RawReadResult {
        ByteSlice.withBytes(of: key) { key in
            value.withUnsafeBytes { read(key: key, value: ByteSlice($0)) }
        }
    }

    /// Reads a record; returns its fix, or `nil` for a batch and an unreadable record.
    func single(_ value: String, key: String = "drv_17") -> RawFix? {
        guard case .fixes(isBatch: false) = read(value, key: key), fixes.count == 1 else { return nil }
        return fixes[0]
    }
}

extension RawReadResult {
    var reason: DeadLetterReason? {
        if case .unreadable(let reason, _) = self { reason } else { nil }
    }

    var detail: String? {
        if case .unreadable(_, let detail) = self { "\(detail)" } else { nil }
    }
}
