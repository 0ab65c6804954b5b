import Bytes
import CSimdJSON
import Tracking

/// Reads records of `driver.warnings`; one per thread.
package final class WarningReader {
    private let parser = JSONParser()
    private let record = JSONSlots()
    private let payload = JSONSlots()
    private let evidence = JSONSlots()

    package init() {}

    /// Reads one record; `nil` when it is not one that ``WarningWriter`` could have written.
    package func read(_ value: ByteSlice) -> WarningRecord? {
        var object: JSONValue?
        guard parser.read(value, into: &object) == SL_OK, let object else { return nil }
        do {
            return try read(JSONFields(object, in: record))
        } catch {
            return nil
        }
    }

    private func read(_ fields: JSONFields) throws(FieldFault) -> WarningRecord {
        let payload = JSONFields(try fields.object(SL_KEY_PAYLOAD), in: payload)
        let code = try payload.text(SL_KEY_WARNING_CODE)
        guard let reason = Reasons.all.first(where: { code == $0.code })?.reason else {
            throw FieldFault(reason: .wrongType, key: SL_KEY_WARNING_CODE)
        }
        let warning = LocationWarning(
            reason: reason, action: try payload.code(SL_KEY_ACTION, as: LocationWarning.Action.self),
            evidence: try evidence(payload))
        return WarningRecord(
            eventID: try fields.eventID(), driverID: try fields.identifier(SL_KEY_DRIVER_ID), warning: warning,
            risk: try payload.double(SL_KEY_RISK, in: 0...1), message: try payload.text(SL_KEY_MESSAGE),
            at: try fields.timestamp(SL_KEY_SERVER_TIMESTAMP))
    }

    private func evidence(_ payload: JSONFields) throws(FieldFault) -> LocationWarning.Evidence {
        guard let object = try payload.optionalObject(SL_KEY_EVIDENCE) else { return LocationWarning.Evidence() }
        let fields = JSONFields(object, in: evidence)
        return LocationWarning.Evidence(
            distanceMeters: try fields.optionalDouble(SL_KEY_DISTANCE_METERS),
            seconds: try fields.optionalDouble(SL_KEY_SECONDS),
            speedMetersPerSecond: try fields.optionalDouble(SL_KEY_SPEED_MPS),
            accuracyMeters: try fields.optionalDouble(SL_KEY_ACCURACY_METERS),
            fixes: try fields.optionalInt(SL_KEY_FIXES))
    }
}
