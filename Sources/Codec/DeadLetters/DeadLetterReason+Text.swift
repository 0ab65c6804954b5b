import Model
import Support

/// What a dead letter says: the value at fault, then what is allowed.
extension DeadLetterReason {
    /// One sentence about a record that could not be read.
    ///
    /// Of a field the sentence gives the value that stands in the record, the first one at fault where the name comes
    /// several times. Made of the record alone, so that an audit makes the same one.
    /// `field` is the field at fault as the record spells it, and empty when it is the record as a whole; `form` is
    /// what is accepted in the topic.
    package func text(field: String, key: ByteSlice, value: ByteSlice, form: RecordForm) -> String {
        switch self {
        case .invalidKey: return FaultText.expected("The key", FaultText.quoted(key.string), Self.identifier)
        case .keyMismatch:
            return "\(field) \(shown(field, value)) is not the record's key \(FaultText.quoted(key.string))"
        case .tooLarge where field.isEmpty: return tooLarge(value, form)
        case .tooLarge: return "\(field) is larger than is passed on; at most \(Self.passedOn(field)) bytes are allowed"
        case .batchTooLarge, .tooManyStops: return tooMany(value, form)
        case .missingField: return FaultText.missing(field) + form.names.note(missing: field, in: value)
        case .outOfRange: return outOfRange(field, value)
        case .notFinite: return FaultText.expected(field, shown(field, value), "a finite number")
        case .wrongType: return FaultText.expected(field, shownWrongType(field, value), RecordForm.kind(of: field))
        case .invalidTimestamp: return FaultText.expected(field, shownNoTime(field, value), FaultText.time)
        case .invalidID: return invalidID(field, value)
        case .unknownType:
            return FaultText.expected("type", shown("type", value), "location, location_update or location_batch")
        case .unknownState:
            let states = TripState.allCases.map { "\($0.code)" }
            let expected = states.dropLast().joined(separator: ", ") + " or \(states[states.count - 1])"
            return FaultText.expected(field, shown(field, value), expected)
        case .wrongTopic where !field.isEmpty:
            return "\(field) \(shown(field, value)) belongs in the topic trips; this topic takes locations"
        case .socketMessage where !field.isEmpty:
            return "\(field) \(shown(field, value)) is between apps and gateway (ping, subscribe and the like), and "
                + "belongs in no topic"
        case .malformedJSON where field.isEmpty, .invalidUTF8 where field.isEmpty:
            return ForeignText(value)?.sentence ?? "\(sentence)"
        case .emptyValue, .malformedJSON, .invalidUTF8, .missingKey, .invalidPolyline, .wrongTopic, .socketMessage:
            return field.isEmpty ? "\(sentence)" : "\(field): \(sentence)"
        }
    }

    private static let identifier = "1 to 128 letters, digits, or any of _ - . and the colon"
    private static let years = "1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z"

    private static func passedOn(_ field: String) -> Int {
        let limits = TripLimits()
        return field == "facts" ? limits.factsBytes : limits.contextBytes
    }

    private func tooLarge(_ value: ByteSlice, _ form: RecordForm) -> String {
        if let single = form.singleBytes, value.count <= form.recordBytes {
            return FaultText.tooMany("The record of one fix", value.count, "bytes", atMost: single)
        }
        return FaultText.tooMany("The record", value.count, "bytes", atMost: form.recordBytes)
    }

    private func tooMany(_ value: ByteSlice, _ form: RecordForm) -> String {
        let isBatch = self == .batchTooLarge
        let count = MemberText.elementCount(of: isBatch ? "locations" : "stops", in: value) ?? form.elements + 1
        return FaultText.tooMany(
            isBatch ? "The batch" : "The trip", count, isBatch ? "fixes" : "stops", atMost: form.elements)
    }

    private func outOfRange(_ field: String, _ value: ByteSlice) -> String {
        guard let range = RecordForm.range(of: field) else {
            let negative = MemberText.first(of: field, in: value) {
                Double($0.string).map { !($0 >= 0 && $0 <= Double(Timestamp.latest.milliseconds)) } ?? false
            }
            return FaultText.outside(field, shown(negative), Self.years)
        }
        let outside = MemberText.first(of: field, in: value) { Double($0.string).map { !range.contains($0) } ?? false }
        return FaultText.outside(field, shown(outside), FaultText.words(range))
    }

    private func invalidID(_ field: String, _ value: ByteSlice) -> String {
        let isName = ["rider_id", "triggered_by", "stop_id", "vehicle_number"].contains(field)
        return FaultText.expected(
            field, shown(field, value), isName ? "1 to 128 bytes without control characters" : Self.identifier)
    }

    /// The first value that is not of the kind that the field has.
    private func shownWrongType(_ field: String, _ value: ByteSlice) -> String {
        let isNumber = RecordForm.range(of: field) != nil
        let wrong = MemberText.first(of: field, in: value) { text in
            guard text.count > 0, !(text == "null") else { return false }
            return isNumber ? Double(text.string) == nil : true
        }
        return shown(wrong ?? MemberText.first(of: field, in: value))
    }

    /// The first value that is text, and so perhaps a time that cannot be read.
    private func shownNoTime(_ field: String, _ value: ByteSlice) -> String {
        shown(
            MemberText.first(of: field, in: value) { text in
                guard text.count >= 2, text[0] == UInt8(ascii: "\"") else { return false }
                return ISO8601.time(text[1..<text.count - 1]) == nil
            } ?? MemberText.first(of: field, in: value))
    }

    private func shown(_ field: String, _ value: ByteSlice) -> String { shown(MemberText.first(of: field, in: value)) }

    private func shown(_ text: ByteSlice?) -> String {
        switch text.map({ $0.count > 0 ? $0[0] : 0 }) {
        case nil, 0: "in the record"
        case UInt8(ascii: "{"): "{…}"
        case UInt8(ascii: "["): "[…]"
        default: FaultText.shortened(text?.string ?? "")
        }
    }
}
