import Model
import Support

/// Reads records of `rider.updates`; one per thread.
package final class RiderUpdateReader {
    private let reader = RecordDecoder()

    package init() {}

    /// Reads one record; `nil` when it is not one that ``RiderUpdateWriter`` could have written.
    package func read(_ value: ByteSlice) -> RiderUpdateRecord? {
        var event = EventID(partition: 0, offset: 0)
        var record = RiderUpdateRecord(
            eventID: event, channel: .empty,
            update: .notification(RiderUpdate.Notification(moment: .driverAccepted, priority: .normal)))
        guard reader.read(value, event: &event, into: &record), !record.channel.isEmpty else { return nil }
        record.eventID = event
        return record
    }
}
