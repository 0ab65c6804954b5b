import Testing

@testable import Codec
@testable import Support

/// One row of the table of accepted spellings in docs/messages.md.
struct Spelling: Sendable, CustomTestStringConvertible {
    /// The member's name in ``AcceptedNames``.
    var member: String
    /// The path under which the member is sent; empty if it is omitted.
    var path: String
    /// A JSON value to send.
    var example: String
    /// The value read, as formatted by ``Spelling/reading(of:in:isBatch:)``.
    var meaning: String

    init(_ member: String, _ path: String, _ example: String, _ meaning: String) {
        (self.member, self.path, self.example, self.meaning) = (member, path, example, meaning)
    }

    var testDescription: String { "\(path): \(example)" }

    /// The member as JSON: `a.b` is `"a":{"b":…}`.
    var json: String {
        let names = path.split(separator: ".")
        guard let first = names.first else { return "" }
        return names.count == 1 ? "\"\(first)\":\(example)" : "\"\(first)\":{\"\(names[1])\":\(example)}"
    }

    /// Records with this and the required members: in the record itself, in a payload, in a batch's element.
    var records: [String] {
        if member == "locations" { return ["{\(json)}", "{\"type\":\"LOCATION_UPDATE\",\"payload\":{\(json)}}"] }
        var others = ["latitude": "\"latitude\":1", "longitude": "\"longitude\":2"]
        others["timestamp"] = "\"timestamp\":1741977135123"
        others[member] = nil
        let rest = others.values.sorted()
        if member == "type" {
            let locations = meaning == "a batch" ? ["\"locations\":[{\(rest.joined(separator: ","))}]"] : rest
            return ["{\(([json] + locations).filter { !$0.isEmpty }.joined(separator: ","))}"]
        }
        let members = (rest + [json]).joined(separator: ",")
        return [
            "{\"type\":\"location_update\",\(members)}", "{\"type\":\"location_update\",\"payload\":{\(members)}}",
            "{\"type\":\"location_batch\",\"locations\":[{\(members)}]}",
        ]
    }

    /// Formats a member as it was read.
    static func reading(of member: String, in raw: RawFix, isBatch: Bool) -> String {
        let fix = raw.fix
        switch member {
        case "type", "locations": return isBatch ? "a batch" : "one fix"
        case "driver_id": return "the record's key, or refused"
        case "session_id": return raw.sessionID.string
        case "trip_id": return raw.tripID.string
        case "sequence": return fix.sequence.map { "\($0)" } ?? "none"
        case "id": return fix.identityHash == 0 ? "none" : "the fix's identity"
        case "latitude": return text(fix.coordinate.latitude)
        case "longitude": return text(fix.coordinate.longitude)
        case "timestamp": return fix.deviceAt.map { TimeText.text(milliseconds: $0.milliseconds) } ?? "none"
        case "accuracy_meters": return text(fix.accuracyMeters)
        case "heading": return text(fix.headingDegrees)
        case "speed_mps": return text(fix.speedMetersPerSecond)
        case "altitude_meters": return text(fix.altitudeMeters)
        case "source": return "\(fix.source.code)"
        case "integrity": return "\(fix.integrity.code)"
        case "is_mock": return "\(fix.isMock)"
        case "battery_percent": return raw.batteryPercent.map { "\($0)" } ?? "none"
        case "altitude_accuracy_meters": return text(raw.report.altitudeAccuracyMeters)
        case "heading_accuracy_degrees": return text(raw.report.headingAccuracyDegrees)
        case "speed_accuracy_mps": return text(raw.report.speedAccuracyMetersPerSecond)
        case "is_charging": return raw.report.isCharging.map { "\($0)" } ?? "none"
        case "network_type": return raw.report.networkType.map { "\($0.code)" } ?? "none"
        case "motion_activity": return raw.report.motionActivity.map { "\($0.code)" } ?? "none"
        case "occupancy_percent": return raw.occupancyPercent.map { "\($0)" } ?? "none"
        default: return "?"
        }
    }

    private static func text(_ number: Double?) -> String { number.map { "\($0)" } ?? "none" }
}

extension Spelling {
    /// Every accepted name with a value, and every notation of values that have several.
    static let all: [Spelling] = [texts, positions, measures, details, percentages, times, words].flatMap { $0 }

    /// Returns a row for each path.
    private static func rows(_ member: String, _ paths: [String], _ example: String, _ meaning: String) -> [Spelling] {
        paths.map { Spelling(member, $0, example, meaning) }
    }

    /// Returns the paths of each name: on its own, and in both spellings of the position's object.
    private static func crossed(_ names: String...) -> [String] {
        ["", "coordinate.", "latLng."].flatMap { object in names.map { object + $0 } }
    }

    private static let texts: [Spelling] = [
        rows("driver_id", ["driver_id", "driverId"], #""drv_17""#, "the record's key, or refused"),
        rows("session_id", ["session_id", "sessionId"], #""s1""#, "s1"),
        rows("trip_id", ["trip_id", "tripId"], #""tr_4e5f""#, "tr_4e5f"),
        rows("sequence", ["sequence"], "1847", "1847"),
        rows(
            "id", ["id", "message_id", "messageId"], #""7b0c1c9e-0ff1-4c3a-9c39-6c1d5d1f6c11""#, "the fix's identity"),
        rows("id", ["id"], "17", "none"),
    ].flatMap { $0 }

    private static let positions: [Spelling] = [
        rows("latitude", crossed("latitude", "lat"), "37.7751", "37.7751"),
        rows("longitude", crossed("longitude", "lng"), "-122.4183", "-122.4183"),
    ].flatMap { $0 }

    private static let measures: [Spelling] = [
        rows("accuracy_meters", ["accuracy_meters", "accuracyMeters"], "5.2", "5.2"),
        rows("accuracy_meters", ["accuracy", "accuracy.horizontal"], "5.2", "5.2"),
        rows("heading", crossed("heading"), "45", "45.0"),
        rows("speed_mps", crossed("speed_mps", "speedMps", "speed"), "12.5", "12.5"),
        rows("altitude_meters", crossed("altitude_meters", "altitudeMeters", "altitude"), "15", "15.0"),
    ].flatMap { $0 }

    private static let details: [Spelling] = [
        rows("altitude_accuracy_meters", ["altitude_accuracy_meters", "accuracy.vertical"], "8.1", "8.1"),
        rows("heading_accuracy_degrees", ["heading_accuracy_degrees", "accuracy.headingAccuracy"], "3", "3.0"),
        rows("speed_accuracy_mps", ["speed_accuracy_mps", "accuracy.speedAccuracy"], "0.5", "0.5"),
        rows("is_charging", ["is_charging", "isCharging", "metadata.isCharging"], "true", "true"),
        rows("network_type", ["network_type", "networkType", "metadata.networkType"], #""LTE""#, "4g"),
        rows("network_type", ["network_type"], #""6g""#, "none"),
        rows(
            "motion_activity", ["motion_activity", "motionActivity", "metadata.motionActivity"], #""IN_VEHICLE""#,
            "automotive"),
    ].flatMap { $0 }

    private static let percentages: [Spelling] = [
        rows("battery_percent", ["battery_percent", "batteryPercent"], "72", "72"),
        rows("battery_percent", ["metadata.batteryLevel"], "0.72", "72"),
        rows("battery_percent", ["metadata.batteryLevel"], "72", "72"),
        rows("occupancy_percent", ["occupancy_percent", "occupancyPercent"], "40", "40"),
    ].flatMap { $0 }

    private static let times: [Spelling] = [
        (#""2025-03-14T18:32:15.123Z""#, "2025-03-14T18:32:15.123Z"),
        (#""2025-03-14T19:32:15+01:00""#, "2025-03-14T18:32:15.000Z"),
        ("1741977135123", "2025-03-14T18:32:15.123Z"), ("100000000000", "1973-03-03T09:46:40.000Z"),
        ("1741977135", "2025-03-14T18:32:15.000Z"), ("1741977135.123", "2025-03-14T18:32:15.123Z"),
        ("1400000000", "2014-05-13T16:53:20.000Z"), ("763669935.123456", "2025-03-14T18:32:15.123Z"),
        ("763669935", "2025-03-14T18:32:15.000Z"), ("1399999999.5", "2045-05-13T16:53:19.500Z"),
    ].map { Spelling("timestamp", "timestamp", $0.0, $0.1) }

    private static let words: [Spelling] = [
        rows("type", ["type"], #""location""#, "one fix"), rows("type", ["type"], #""location_update""#, "one fix"),
        rows("type", ["type"], #""LOCATION_UPDATE""#, "one fix"), rows("type", [""], "", "one fix"),
        rows("type", ["type"], #""location_batch""#, "a batch"),
        rows("type", ["type"], #""Location_Batch""#, "a batch"),
        rows("locations", ["locations"], #"[{"lat":1,"lng":2,"timestamp":1741977135123}]"#, "a batch"),
        ["gps", "GPS", "wifi", "WIFI", "cellular", "CELLULAR", "fused", "FUSED", "cached", "CACHED", "Cached"]
            .map { Spelling("source", "source", "\"\($0)\"", $0.lowercased()) },
        rows("source", ["source"], #""network""#, "unknown"),
        ["PASSED", "passed", "FAILED", "failed"].map {
            Spelling("integrity", "integrity", "\"\($0)\"", $0.uppercased())
        },
        rows("is_mock", ["is_mock", "isMock"], "true", "true"),
    ].flatMap { $0 }
}
