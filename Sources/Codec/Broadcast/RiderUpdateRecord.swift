import Domain
import Support

/// One record of `rider.updates`.
///
/// The channel's bytes are valid until the next call to the reader.
package struct RiderUpdateRecord {
    package var eventID: EventID
    /// `trip:ID` or `route:ID`.
    package var channel: ByteSlice
    package var update: RiderUpdate
}

/// Reads records of `rider.updates`; use one per thread.
package final class RiderUpdateReader {
    private let reader = RecordDecoder()

    package init() {}

    /// Reads one record; `nil` if it is invalid.
    package func read(_ value: ByteSlice) -> RiderUpdateRecord? {
        var event = EventID(partition: 0, offset: 0)
        var record = RiderUpdateRecord(
            eventID: event, channel: .empty,
            update: .notification(RiderUpdate.Notification(kind: .driverAccepted, priority: .normal)))
        guard reader.read(value, event: &event, into: &record), !record.channel.isEmpty else { return nil }
        record.eventID = event
        return record
    }
}
