import CSimdJSON
import Lanes
import Tracking

/// Reads lines of NDJSON into raw records; one per thread.
package final class RecordLineReader {
    private let parser = JSONParser()
    private let slots = JSONSlots()

    package init() {}

    /// Reads one line; `nil` for an envelope whose own members are wrong.
    ///
    /// A line that is no JSON object is handed on as a value without key, for the raw reader to refuse.
    package func read(_ line: ByteSlice) -> RecordLine? {
        var object: JSONValue?
        guard parser.read(line, keeping: SL_KEY_VALUE, into: &object) == SL_OK, let object else {
            return RecordLine(key: .empty, value: line)
        }
        do {
            return try read(line, JSONFields(object, in: slots), isEnvelope: isEnvelope(object))
        } catch {
            return nil
        }
    }

    /// An envelope has a `value`, be it null, and records have none.
    private func isEnvelope(_ object: JSONValue) -> Bool {
        object.members.contains { $0.key == SL_KEY_VALUE }
    }

    private func read(_ line: ByteSlice, _ fields: JSONFields, isEnvelope: Bool) throws(FieldFault) -> RecordLine {
        guard isEnvelope else {
            return RecordLine(key: fields[SL_KEY_DRIVER_ID]?.text ?? .empty, value: line)
        }
        var record = RecordLine(key: try fields.optionalText(SL_KEY_KEY) ?? .empty, value: nil)
        if let value = fields[SL_KEY_VALUE] {
            guard let bytes = value.keptText ?? value.text else {
                throw FieldFault(reason: .wrongType, key: SL_KEY_VALUE)
            }
            record.value = bytes
        }
        record.timestamp = try fields.optionalTimestamp(SL_KEY_TIMESTAMP)
        record.lane = try fields.optionalInteger(SL_KEY_LANE, in: 0...Int64(Int32.max)).map { Int32($0) }
        record.offset = try fields.optionalInteger(SL_KEY_OFFSET, in: 0 ... .max)
        return record
    }
}
