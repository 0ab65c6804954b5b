import Codec
import Support

/// Why a device's message is refused: what would otherwise become a dead letter.
package struct MessageFault: Error, Sendable, Equatable {
    package var reason: DeadLetterReason
    /// The field at fault, as the device spells it; empty when it is the message as a whole.
    package var field: String
    /// One sentence: what is wrong, with the value at fault, and what is accepted.
    package var text: String
    /// Which fixes, where it is a batch none of whose fixes can be read, or some of which name another driver.
    package var unreadable: [UnreadableFixes] = []

    /// As on the wire; the same codes as those of dead letters.
    package var code: StaticString { reason.code }

    /// - Parameters:
    ///   - reason: what is wrong.
    ///   - field: the field at fault, empty when it is the message as a whole.
    ///   - driver: the driver of the token.
    ///   - message: what the device sent.
    ///   - form: what is accepted in the topic that it is for.
    init(_ reason: DeadLetterReason, field: String, driver: ByteSlice, message: ByteSlice, form: RecordForm) {
        self.reason = reason
        self.field = field
        switch reason {
        case .keyMismatch:
            text = "\(field) names another driver than the token; expected \(driver.string), or no \(field)"
        case .invalidKey, .missingKey:
            text = "The token's driver is not an id: 1 to 128 letters, digits, or any of _ - . and the colon"
        case .emptyValue: text = "The message is empty; expected a JSON object"
        case .unknownType, .socketMessage:
            text =
                "type is none that drivers send; expected location, location_update, location_batch, trip_status, "
                + "ping or pong"
        case .wrongTopic: text = "A trip_status is a message of its own and does not belong among locations"
        default: text = reason.text(field: field, key: driver, value: message, form: form)
        }
    }

    /// - Parameters:
    ///   - reason: what is wrong.
    ///   - text: one sentence.
    ///   - field: the field at fault, empty when it is the message as a whole.
    init(_ reason: DeadLetterReason, _ text: String, field: String = "") {
        self.reason = reason
        self.text = text
        self.field = field
    }

    /// The fault of an event of the trip service that names no driver and needs one.
    package static let withoutDriver = MessageFault(
        .missingKey,
        "driver_id is missing; only REQUESTED, and CANCELLED of a trip that has no driver yet, come without it",
        field: "driver_id")

    /// The fault of events without a driver that cancel trips which have one.
    ///
    /// - Parameters:
    ///   - places: of these events in their batch, from 0, ascending.
    ///   - count: how many events the batch has.
    /// - Returns: the fault, which tells the places unless the batch is a single event.
    package static func cancelled(havingDrivers places: [Int], of count: Int) -> MessageFault {
        var fault = MessageFault(
            .missingKey, "The trip has a driver, so that its cancellation needs driver_id; nothing was written",
            field: "driver_id")
        guard count > 1 else { return fault }
        var faults = [MessageFault?](repeating: nil, count: count)
        for place in places { faults[place] = fault }
        fault.unreadable = UnreadableFixes.runs(among: faults)
        return fault
    }

    /// The fault of an event of the trip service, in the words of a dead letter.
    ///
    /// `driver`: that the event names, or empty.
    init(ofTrip reason: DeadLetterReason, field: String, driver: ByteSlice, event: ByteSlice) {
        self.init(reason, reason.text(field: field, key: driver, value: event, form: .trips), field: field)
    }
}
