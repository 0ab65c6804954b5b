import CSimdJSON

/// Reason why a record becomes a dead letter; the codes appear in headers, metrics and logs.
package enum DeadLetterReason: UInt8, Sendable, CaseIterable {
    case emptyValue, malformedJSON, invalidUTF8, tooLarge, missingKey, invalidKey, keyMismatch, unknownType
    case missingField, wrongType, outOfRange, notFinite, invalidTimestamp, batchTooLarge, invalidID
    case unknownState, invalidPolyline, tooManyStops, wrongTopic, socketMessage

    package var code: StaticString { texts.code }
    /// Description without the record's values; see ``text(field:key:value:format:)``.
    package var sentence: StaticString { texts.sentence }

    private var texts: (code: StaticString, sentence: StaticString) {
        switch self {
        case .emptyValue: ("EMPTY_VALUE", "The record has no value")
        case .malformedJSON: ("MALFORMED_JSON", "The value is not one JSON object, or is nested too deeply")
        case .invalidUTF8: ("INVALID_UTF8", "The value is not UTF-8")
        case .tooLarge: ("TOO_LARGE", "The record has more bytes than are allowed")
        case .missingKey: ("MISSING_KEY", "The record has no key; expected the driver id")
        case .invalidKey: ("INVALID_KEY", "The key is not a driver id")
        case .keyMismatch: ("KEY_MISMATCH", "The value and the key have different driver ids")
        case .unknownType: ("UNKNOWN_TYPE", "The type must be location, location_update or location_batch")
        case .missingField: ("MISSING_FIELD", "A required field is missing")
        case .wrongType: ("WRONG_TYPE", "A field has the wrong JSON type")
        case .outOfRange: ("OUT_OF_RANGE", "A number is outside its range")
        case .notFinite: ("NOT_FINITE", "A number is not finite")
        case .invalidTimestamp:
            ("INVALID_TIMESTAMP", "A time must be ISO 8601 with an offset, or a number of milliseconds or seconds")
        case .batchTooLarge: ("BATCH_TOO_LARGE", "The batch has more fixes than are allowed")
        case .invalidID: ("INVALID_ID", "An identifier is empty, too long or contains invalid characters")
        case .unknownState: ("UNKNOWN_STATE", "The trip's state is unknown")
        case .invalidPolyline:
            (
                "INVALID_POLYLINE",
                "The polyline cannot be decoded; expected an encoded polyline on the globe of at most 65536 bytes"
            )
        case .tooManyStops: ("TOO_MANY_STOPS", "The trip has more stops than are allowed")
        case .wrongTopic: ("WRONG_TOPIC", "A trip_status belongs in the topic trips; this topic accepts locations")
        case .socketMessage: ("SOCKET_MESSAGE", "A WebSocket message between app and gateway belongs in no topic")
        }
    }

    /// Converts a parser status; `nil` for `SL_OK`.
    init?(_ status: sl_status) {
        switch status {
        case SL_OK: return nil
        case SL_EMPTY: self = .emptyValue
        case SL_INVALID_UTF8: self = .invalidUTF8
        case SL_UNKNOWN_TYPE: self = .unknownType
        case SL_MISSING: self = .missingField
        case SL_WRONG_TYPE: self = .wrongType
        case SL_OUT_OF_RANGE: self = .outOfRange
        case SL_NOT_FINITE: self = .notFinite
        case SL_INVALID_TIMESTAMP: self = .invalidTimestamp
        case SL_BATCH_TOO_LARGE: self = .batchTooLarge
        case SL_INVALID_ID: self = .invalidID
        case SL_KEY_MISMATCH: self = .keyMismatch
        case SL_NO_MEMORY: self = .tooLarge
        case SL_WRONG_TOPIC: self = .wrongTopic
        case SL_SOCKET_MESSAGE: self = .socketMessage
        default: self = .malformedJSON
        }
    }
}
