import Codec
import Model
import Support

/// Turns the `trip_status` of a driver's app into the message of `trips`: its status into the state and stage there.
///
/// Which statuses there are, ``Wire/TripReader`` knows. Whether the step is allowed is decided where the trip is held.
package final class TripStatusMapping {
    private let reader: TripReader

    /// - Parameter limits: those of the workers' own reader, which must have no problems.
    package init(limits: TripLimits = TripLimits()) { reader = TripReader(limits: limits) }

    /// Reads a message of type `trip_status`.
    /// - Parameters:
    ///   - message: a JSON object.
    ///   - driver: the driver's id of the token.
    /// - Returns: the message of `trips`, or why there is none.
    package func read(_ message: ByteSlice, driver: ByteSlice) -> Result<TripMessage, MessageFault> {
        switch reader.read(key: driver, value: message) {
        // A device must not write a plan, as the trip service does.
        case .trip(let trip) where trip.isDriverStatus: .success(trip)
        case .unreadable(let reason, let field): .failure(fault(reason, field, message, driver))
        case .trip, .tripWithoutFacts, .tombstone: .failure(fault(.unknownType, "type", message, driver))
        }
    }

    /// Appends the value of the record of `trips`, whose key is the driver's id and whose timestamp is the receipt.
    ///
    /// Only what a status says is written. Whatever else the device has sent stays out of the topic.
    package static func write(_ status: TripMessage, into writer: inout ByteWriter) {
        precondition(status.isDriverStatus, "A gateway writes the status of a driver, and no trip of its own.")
        TripWriter.write(status, into: &writer)
    }

    private func fault(
        _ reason: DeadLetterReason, _ field: String, _ message: ByteSlice, _ driver: ByteSlice
    ) -> MessageFault {
        MessageFault(reason, field: field, driver: driver, message: message, form: .trips)
    }
}
