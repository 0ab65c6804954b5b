import Codec
import Domain
import Support

/// Converter from the `trip_status` of a driver's app to a message of `trips`.
///
/// ``TripReader`` defines the statuses; `eta-worker` validates the transition.
final class TripStatusMapping {
    private let reader: TripReader

    /// Creates a mapping; `limits` must be valid and equal to those of the workers.
    init(limits: TripLimits = TripLimits()) { reader = TripReader(limits: limits) }

    /// Reads a message of type `trip_status`; `driver` is the driver id of the token.
    func read(_ message: ByteSlice, driver: ByteSlice) -> Result<TripMessage, MessageFault> {
        switch reader.read(key: driver, value: message) {
        // Only the trip service may write plans.
        case .trip(let trip) where trip.isDriverStatus: .success(trip)
        case .unreadable(let reason, let field): .failure(fault(reason, field, message, driver))
        case .trip, .tripWithoutFacts, .tombstone: .failure(fault(.unknownType, "type", message, driver))
        }
    }

    /// Appends a status as the value of a record of `trips`.
    ///
    /// Writes only the fields of a status; other members of the device's message are dropped.
    static func write(_ status: TripMessage, into writer: inout ByteWriter) {
        precondition(status.isDriverStatus, "Only driver statuses may be written.")
        TripWriter.write(status, into: &writer)
    }

    private func fault(
        _ reason: DeadLetterReason, _ field: String, _ message: ByteSlice, _ driver: ByteSlice
    ) -> MessageFault {
        MessageFault(reason, field: field, driver: driver, message: message, form: .trips)
    }
}
