import CSimdJSON

/// Why a record is unreadable.
///
/// The codes appear in dead-letter headers, metrics and logs.
package enum DeadLetterReason: UInt8, Sendable, CaseIterable {
    case emptyValue, malformedJSON, invalidUTF8, tooLarge, missingKey, invalidKey, keyMismatch, unknownType
    case missingField, wrongType, outOfRange, notFinite, invalidTimestamp, batchTooLarge, invalidID
    case unknownState, invalidPolyline, tooManyStops, wrongTopic, socketMessage

    /// As on the wire.
    package var code: StaticString {
        switch self {
        case .emptyValue: "EMPTY_VALUE"
        case .malformedJSON: "MALFORMED_JSON"
        case .invalidUTF8: "INVALID_UTF8"
        case .tooLarge: "TOO_LARGE"
        case .missingKey: "MISSING_KEY"
        case .invalidKey: "INVALID_KEY"
        case .keyMismatch: "KEY_MISMATCH"
        case .unknownType: "UNKNOWN_TYPE"
        case .missingField: "MISSING_FIELD"
        case .wrongType: "WRONG_TYPE"
        case .outOfRange: "OUT_OF_RANGE"
        case .notFinite: "NOT_FINITE"
        case .invalidTimestamp: "INVALID_TIMESTAMP"
        case .batchTooLarge: "BATCH_TOO_LARGE"
        case .invalidID: "INVALID_ID"
        case .unknownState: "UNKNOWN_STATE"
        case .invalidPolyline: "INVALID_POLYLINE"
        case .tooManyStops: "TOO_MANY_STOPS"
        case .wrongTopic: "WRONG_TOPIC"
        case .socketMessage: "SOCKET_MESSAGE"
        }
    }

    /// Description without the record's values; see ``text(field:key:value:form:)``.
    package var sentence: StaticString {
        switch self {
        case .emptyValue: "The record has no value"
        case .malformedJSON: "The value is not one JSON object, or is nested too deeply"
        case .invalidUTF8: "The value is not UTF-8"
        case .tooLarge: "The record has more bytes than are allowed"
        case .missingKey: "The record has no key; expected the driver id"
        case .invalidKey: "The key is not a driver id"
        case .keyMismatch: "The value and the key have different driver ids"
        case .unknownType: "The type must be location, location_update or location_batch"
        case .missingField: "A required field is missing"
        case .wrongType: "A field has the wrong JSON type"
        case .outOfRange: "A number is outside its range"
        case .notFinite: "A number is not finite"
        case .invalidTimestamp: "A time must be ISO 8601 with an offset, or a number of milliseconds or seconds"
        case .batchTooLarge: "The batch has more fixes than are allowed"
        case .invalidID: "An identifier is empty, too long or contains invalid characters"
        case .unknownState: "The trip's state is unknown"
        case .invalidPolyline:
            "The polyline cannot be decoded; expected an encoded polyline on the globe of at most 65536 bytes"
        case .tooManyStops: "The trip has more stops than are allowed"
        case .wrongTopic: "A trip_status belongs in the topic trips; this topic accepts locations"
        case .socketMessage:
            "A WebSocket message between app and gateway belongs in no topic"
        }
    }

    /// Converts a parser status; `nil` for success.
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
