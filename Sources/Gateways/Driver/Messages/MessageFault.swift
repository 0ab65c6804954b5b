import Codec
import Support

/// Reason why a message is rejected, with the codes of dead letters.
struct MessageFault: Error, Sendable, Equatable {
    var reason: DeadLetterReason
    /// Invalid field, as spelled by the sender; empty for the message as a whole.
    var field: String
    /// One sentence that describes the fault and, if possible, the accepted values.
    var text: String
    /// The unreadable fixes if no fix is readable, or the rejected events of a batch.
    var unreadable: [FaultRun] = []

    /// Wire code, the same as in dead letters.
    var code: StaticString { reason.code }

    /// Creates the fault of a device's message.
    ///
    /// `driver` is the token's driver; `format` contains the accepted values of the message's topic.
    init(_ reason: DeadLetterReason, field: String, driver: ByteSlice, message: ByteSlice, format: RecordFormat) {
        self.reason = reason
        self.field = field
        switch reason {
        case .keyMismatch:
            text = "\(field) is not the token's driver; expected \(driver.string), or no \(field)"
        case .invalidKey, .missingKey:
            text =
                "The token's driver is not a valid id; expected 1 to 128 letters, digits, or any of _ - . and the colon"
        case .emptyValue: text = "The message is empty; expected a JSON object"
        case .unknownType, .socketMessage:
            text =
                "type is not accepted from drivers; expected location, location_update, location_batch, trip_status, "
                + "ping or pong"
        case .wrongTopic: text = "A trip_status must be a separate message, not part of a batch of locations"
        default: text = reason.text(field: field, key: driver, value: message, format: format)
        }
    }

    init(_ reason: DeadLetterReason, _ text: String, field: String = "") {
        self.reason = reason
        self.text = text
        self.field = field
    }

    /// Fault of a trip service event without the required driver.
    static let withoutDriver = MessageFault(
        .missingKey,
        "driver_id is missing; it is optional only for REQUESTED, and for CANCELLED of a trip without a driver",
        field: "driver_id")

    /// Creates the fault of cancellations that omit the driver although their trips have one.
    ///
    /// If `count`, the number of events in the request, exceeds 1, lists these events by their ascending `indices`.
    static func cancelled(havingDrivers indices: [Int], of count: Int) -> MessageFault {
        var fault = MessageFault(
            .missingKey, "The trip has a driver, so its cancellation needs driver_id; nothing was written",
            field: "driver_id")
        guard count > 1 else { return fault }
        var faults = [MessageFault?](repeating: nil, count: count)
        for index in indices { faults[index] = fault }
        fault.unreadable = FaultRun.runs(among: faults)
        return fault
    }

    /// Creates the fault of a trip event, with the text of a dead letter.
    ///
    /// `driver` is the event's driver, or a placeholder if it has none.
    init(ofTrip reason: DeadLetterReason, field: String, driver: ByteSlice, event: ByteSlice) {
        self.init(reason, reason.text(field: field, key: driver, value: event, format: .trips), field: field)
    }
}

extension MessageFault {
    /// Whether members of the message can be read, such as its id.
    var isReadable: Bool {
        switch reason {
        case .emptyValue, .malformedJSON, .invalidUTF8, .tooLarge: false
        default: true
        }
    }
}
