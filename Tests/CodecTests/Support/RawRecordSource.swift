import TestSupport

/// A generator of raw records in every format, and of damage to them.
enum RawRecordSource {
    private static let texts = [
        "location", "location_update", "location_batch", "LOCATION", "trip_status", "ping", "GPS", "Cached", "passed",
        "drv_17", "drv_18", "s1", "", "gps", "cached", "PASSED", "FAILED", "LTE", "In-Vehicle",
        "2025-03-14T18:32:15.123Z", "2025-03-14T18:32:15Z", "2025-02-29T18:32:15.123Z", "2025-03-14T23:59:60.000Z",
        "2025-03-14T18:32:15.123+01:00", "ü", "\\u0041", "a\\\"b", String(repeating: "x", count: 129),
    ]
    private static let names = [
        "type", "driver_id", "session_id", "trip_id", "sequence", "payload", "locations", "coordinate", "accuracy",
        "metadata", "timestamp", "source", "latitude", "longitude", "altitude", "altitude_meters", "heading", "speed",
        "speed_mps", "horizontal", "accuracy_meters", "batteryLevel", "battery_percent", "occupancy_percent", "is_mock",
        "integrity", "driverId", "sessionId", "tripId", "id", "message_id", "messageId", "lat", "lng", "latLng",
        "speedMps", "accuracyMeters", "altitudeMeters", "batteryPercent", "isMock", "occupancyPercent", "networkType",
        "isCharging", "motionActivity", "vertical", "headingAccuracy", "speedAccuracy", "network_type", "is_charging",
        "motion_activity", "altitude_accuracy_meters", "heading_accuracy_degrees", "speed_accuracy_mps", "x", "",
        "lat\\u0069tude",
    ]
    private static let samples = [
        RawSamples.rideshare, RawSamples.mobile, RawSamples.envelope, RawSamples.stored, RawSamples.good(),
        RawSamples.batch([RawSamples.rideshare, RawSamples.mobile, RawSamples.good("\"speed_mps\":1")]),
    ]

    /// Returns a sample, often with inserted members or changed spacing.
    static func record(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array((samples.randomElement(using: &generator) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let separators = bytes.indices.filter { bytes[$0] == UInt8(ascii: ",") || bytes[$0] == UInt8(ascii: "{") }
            guard let separator = separators.randomElement(using: &generator) else { break }
            bytes.insert(contentsOf: Array("\(member(&generator)),".utf8), at: separator + 1)
        }
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return bytes }
        return bytes.flatMap { byte -> [UInt8] in
            ":,{}[]".utf8.contains(byte) && Bool.random(using: &generator)
                ? [byte, [32, 10, 13, 9].randomElement(using: &generator) ?? 32] : [byte]
        }
    }

    /// Changes, removes, inserts or copies one or a few bytes.
    static func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard bytes.count > 1 else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(bytes[index], at: index)
        case 4: bytes[index] = Array("{}[]:,\"\\ 0129.-etnf\u{0}".utf8).randomElement(using: &generator) ?? 0
        case 5: bytes.insert(UInt8.random(in: 0x30...0x39, using: &generator), at: index)
        default:
            let end = min(bytes.count, index + Int.random(in: 1...40, using: &generator))
            let moved = Array(bytes[index..<end])
            bytes.insert(contentsOf: moved, at: Int.random(in: 0...bytes.count, using: &generator))
        }
    }

    /// Returns a number in fixed notation with up to 7 digits before the point.
    static func number(_ generator: inout SeededGenerator, decimals: ClosedRange<Int>) -> String {
        let limits = [10, 1000, 10_000_000]
        let whole = Int.random(in: 0..<(limits.randomElement(using: &generator) ?? 10), using: &generator)
        let count = Int.random(in: decimals, using: &generator)
        let digits = (0..<count).map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
        return (Bool.random(using: &generator) ? "-" : "") + "\(whole)" + (count > 0 ? ".\(digits)" : "")
    }

    private static func member(_ generator: inout SeededGenerator) -> String {
        "\"\(names.randomElement(using: &generator) ?? "")\":\(value(&generator, depth: 0))"
    }

    private static func value(_ generator: inout SeededGenerator, depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 3 ? 10 : 8), using: &generator) {
        case 0:
            [
                "null", "true", "false", "NaN", "-0", "1e2", "-1", "360", "1741977135123", "763669935.123",
                "1741977135", "763669935.1234567",
            ]
            .randomElement(using: &generator) ?? ""
        case 1...3: number(&generator, decimals: 0...18)
        case 4...7: "\"\(texts.randomElement(using: &generator) ?? "")\""
        case 8: "[\(value(&generator, depth: depth + 1))]"
        default: "{\(member(&generator))}"
        }
    }
}
