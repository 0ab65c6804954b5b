import Domain
import Support

/// Reads records of `trip.etas`; use one per thread.
package final class TripEtaReader {
    private let reader = RecordDecoder()
    /// See ``RecordDecoder/isCanonical``.
    var isCanonical: Bool { reader.isCanonical }

    package init() {}

    /// Reads one record into `eta`, reusing its storage, so that successive records of one trip allocate nothing.
    /// - Returns: the event's id; `nil` if the record is invalid, in which case `eta` may have been partly overwritten.
    package func read(_ value: ByteSlice, into eta: inout TripEta) -> EventID? {
        var event = EventID(partition: 0, offset: 0)
        return reader.read(value, event: &event, into: &eta) ? event : nil
    }
}
