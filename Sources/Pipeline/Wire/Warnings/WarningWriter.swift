import Bytes
import Pipeline
import Tracking

/// Writes records of `driver.warnings`.
package enum WarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning, with a sentence for people made from its evidence.
    ///
    /// `at` is the receipt of the fix that raised it, `risk` the driver's, in [0, 1].
    package static func write(
        event: EventID, driverID: ByteSlice, warning: LocationWarning, risk: Double, at: Timestamp,
        into writer: inout ByteWriter
    ) {
        writer.appendJSON(atMost: fixedByteCount + JSONCursor.maximumTextCount(driverID)) { json in
            json.literal("{\"type\":\"location_warning\",\"event_id\":")
            json.eventID(event)
            json.literal(",\"driver_id\":")
            json.text(driverID)
            json.literal(",\"payload\":{\"warning_code\":")
            json.code(code(of: warning.reason))
            json.literal(",\"action\":")
            json.code(warning.action.code)
            json.literal(",\"message\":\"")
            WarningMessage.write(warning, into: &json)
            json.literal("\",\"evidence\":{")
            evidence(warning.evidence, &json)
            json.literal("},\"risk\":")
            json.thousandths(risk)
            json.literal("},\"server_timestamp\":")
            json.timestamp(at)
            json.literal("}")
        }
    }

    private static func code(of reason: Reasons) -> StaticString {
        guard let found = Reasons.all.first(where: { $0.reason == reason }) else {
            preconditionFailure("A warning has no reason or several, or one without a code.")
        }
        return found.code
    }

    private static func evidence(_ evidence: LocationWarning.Evidence, _ json: inout JSONCursor) {
        var isFirst = true
        func name(_ name: StaticString, _ json: inout JSONCursor) {
            json.literal(isFirst ? "\"" : ",\"")
            json.literal(name)
            json.literal("\":")
            isFirst = false
        }
        if let distance = evidence.distanceMeters {
            name("distance_meters", &json)
            json.hundredths(distance)
        }
        if let seconds = evidence.seconds {
            name("seconds", &json)
            json.thousandths(seconds)
        }
        if let speed = evidence.speedMetersPerSecond {
            name("speed_mps", &json)
            json.hundredths(speed)
        }
        if let accuracy = evidence.accuracyMeters {
            name("accuracy_meters", &json)
            json.hundredths(accuracy)
        }
        if let fixes = evidence.fixes {
            name("fixes", &json)
            json.integer(fixes)
        }
    }
}
