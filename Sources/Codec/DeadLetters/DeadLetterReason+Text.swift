import Domain
import Support

extension DeadLetterReason {
    /// Describes an unreadable record in one sentence: the invalid value, then the allowed ones.
    ///
    /// Depends only on the record, so that an audit gets the same text. `field` is the invalid
    /// field as spelled in the record, empty if the whole record is invalid; `format` describes the
    /// topic.
    package func text(field: String, key: ByteSlice, value: ByteSlice, format: RecordFormat) -> String {
        switch self {
        case .invalidKey: return FaultText.expected("The key", FaultText.quoted(key.string), Self.identifier)
        case .keyMismatch:
            return "\(field) \(shown(field, value)) is not the record's key \(FaultText.quoted(key.string))"
        case .tooLarge where field.isEmpty: return tooLarge(value, format)
        case .tooLarge: return "\(field) is too large; at most \(Self.maximumBytes(of: field)) bytes are allowed"
        case .batchTooLarge, .tooManyStops: return tooMany(value, format)
        case .missingField: return FaultText.missing(field) + format.names.hint(missing: field, in: value)
        case .outOfRange: return outOfRange(field, value)
        case .notFinite: return FaultText.expected(field, shown(field, value), "a finite number")
        case .wrongType: return FaultText.expected(field, shownWrongType(field, value), RecordFormat.kind(of: field))
        case .invalidTimestamp: return FaultText.expected(field, shownInvalidTime(field, value), FaultText.time)
        case .invalidID: return invalidID(field, value)
        case .unknownType:
            return FaultText.expected("type", shown("type", value), "location, location_update or location_batch")
        case .unknownState:
            let states = TripState.allCases.map { "\($0.code)" }
            let expected = states.dropLast().joined(separator: ", ") + " or \(states[states.count - 1])"
            return FaultText.expected(field, shown(field, value), expected)
        case .wrongTopic where !field.isEmpty:
            return "\(field) \(shown(field, value)) belongs in the topic trips; this topic accepts locations"
        case .socketMessage where !field.isEmpty:
            return "\(field) \(shown(field, value)) is a WebSocket message between app and gateway and belongs in no "
                + "topic"
        case .malformedJSON where field.isEmpty, .invalidUTF8 where field.isEmpty:
            return Self.unsupportedEncoding(of: value) ?? "\(sentence)"
        case .emptyValue, .malformedJSON, .invalidUTF8, .missingKey, .invalidPolyline, .wrongTopic, .socketMessage:
            return field.isEmpty ? "\(sentence)" : "\(field): \(sentence)"
        }
    }

    private static let identifier = "1 to 128 letters, digits, or any of _ - . and the colon"
    private static let years = "1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z"

    /// Recognises an unsupported encoding of JSON by the first bytes of a value; `nil` for other bytes.
    private static func unsupportedEncoding(of value: ByteSlice) -> String? {
        guard value.count >= 2 else { return nil }
        switch (value[0], value[1]) {
        case (0xEF, 0xBB) where value.count >= 3 && value[2] == 0xBF:
            return "The value begins with a byte order mark; expected UTF-8 without one"
        // Without a byte order mark, UTF-16 is recognised by the zero byte of the first character.
        case (0xFE, 0xFF), (0xFF, 0xFE), (0, UInt8(ascii: "{")), (UInt8(ascii: "{"), 0), (0, UInt8(ascii: "[")),
            (UInt8(ascii: "["), 0):
            return "The value is UTF-16; expected UTF-8"
        case (0x1F, 0x8B): return "The value is compressed by gzip; expected JSON in UTF-8"
        default: return nil
        }
    }

    private static func maximumBytes(of field: String) -> Int {
        field == "facts" ? TripLimits.factsBytes : TripLimits.contextBytes
    }

    private func tooLarge(_ value: ByteSlice, _ format: RecordFormat) -> String {
        if let single = format.singleBytes, value.count <= format.recordBytes {
            return FaultText.tooMany("The record of one fix", value.count, "bytes", atMost: single)
        }
        return FaultText.tooMany("The record", value.count, "bytes", atMost: format.recordBytes)
    }

    private func tooMany(_ value: ByteSlice, _ format: RecordFormat) -> String {
        let isBatch = self == .batchTooLarge
        let count = MemberText.elementCount(of: isBatch ? "locations" : "stops", in: value) ?? format.elements + 1
        return FaultText.tooMany(
            isBatch ? "The batch" : "The trip", count, isBatch ? "fixes" : "stops", atMost: format.elements)
    }

    private func outOfRange(_ field: String, _ value: ByteSlice) -> String {
        guard let range = RecordFormat.range(of: field) else {
            let outside = MemberText.first(of: field, in: value) {
                Double($0.string).map { !($0 >= 0 && $0 <= Double(Timestamp.latest.milliseconds)) } ?? false
            }
            return FaultText.outside(field, shown(outside), Self.years)
        }
        let outside = MemberText.first(of: field, in: value) { Double($0.string).map { !range.contains($0) } ?? false }
        return FaultText.outside(field, shown(outside), FaultText.words(range))
    }

    private func invalidID(_ field: String, _ value: ByteSlice) -> String {
        let isFreeText = ["rider_id", "triggered_by", "stop_id", "vehicle_number"].contains(field)
        return FaultText.expected(
            field, shown(field, value), isFreeText ? "1 to 128 bytes without control characters" : Self.identifier)
    }

    private func shownWrongType(_ field: String, _ value: ByteSlice) -> String {
        let isWhole = RecordFormat.isWhole(field)
        let isNumber = RecordFormat.range(of: field) != nil
        let wrong = MemberText.first(of: field, in: value) { text in
            guard text.count > 0, !(text == "null") else { return false }
            if isWhole { return Int64(text.string) == nil }
            return isNumber ? Double(text.string) == nil : true
        }
        return shown(wrong ?? MemberText.first(of: field, in: value))
    }

    private func shownInvalidTime(_ field: String, _ value: ByteSlice) -> String {
        shown(
            MemberText.first(of: field, in: value) { text in
                guard text.count >= 2, text[0] == UInt8(ascii: "\"") else { return false }
                return ISO8601.time(text[1..<text.count - 1]) == nil
            } ?? MemberText.first(of: field, in: value))
    }

    private func shown(_ field: String, _ value: ByteSlice) -> String { shown(MemberText.first(of: field, in: value)) }

    private func shown(_ text: ByteSlice?) -> String {
        switch text.map({ $0.count > 0 ? $0[0] : 0 }) {
        // No member with this name was found, for example because the name has escapes.
        case nil, 0: "in the record"
        case UInt8(ascii: "{"): "{…}"
        case UInt8(ascii: "["): "[…]"
        default: FaultText.shortened(text?.string ?? "")
        }
    }
}
