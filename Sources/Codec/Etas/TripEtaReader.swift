import Model
import Support

/// Reads records of `trip.etas`; one per thread.
package final class TripEtaReader {
    private let reader = RecordDecoder()
    /// Whether the last record was in the very form that ``TripEtaWriter`` gives it, and needed no general reader.
    var isWritten: Bool { reader.isWritten }

    package init() {}

    /// Reads one record into `eta`, reusing its storage: texts that are the same as before keep theirs, so reading the
    /// records of one trip one after another allocates nothing.
    /// - Returns: the event's id, or `nil` when the record is not one that ``TripEtaWriter`` could have written; `eta`
    ///   is then a mixture and means nothing.
    package func read(_ value: ByteSlice, into eta: inout TripEta) -> EventID? {
        var event = EventID(partition: 0, offset: 0)
        return reader.read(value, event: &event, into: &eta) ? event : nil
    }
}
