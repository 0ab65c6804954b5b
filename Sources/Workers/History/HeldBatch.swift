import Model
import Processing
import Support

/// A batch whose partition this writer holds: the partition's row is locked and stood where the batch begins.
struct HeldBatch {
    let batch: PartitionBatch
    /// What the partition's row says of the events written; moves on with the records.
    var clock: Watermark
    /// What waits for later fixes; `nil` where nothing is smoothed.
    var smoothing: PartitionSmoothing?

    /// The event that the record tells of, if it is news.
    ///
    /// It stands in the record's header, so that repeated records are told without reading them; where it does not,
    /// `read` takes it from the value. A record with the header moves the clock even if its value cannot be read.
    @inline(__always)
    mutating func event(
        of record: InputRecord, _ report: inout SinkReport, _ read: (ByteSlice) -> EventID?
    ) -> EventID? {
        guard let event = record.clock ?? record.value.flatMap(read) else {
            if isCounted(record) { report.unreadable += 1 }
            return nil
        }
        guard clock.advance(to: event) else {
            if isCounted(record) { report.repeated += 1 }
            return nil
        }
        return event
    }

    /// Whether a record is read for the first time, or at least not on the sink's own wish.
    func isCounted(_ record: InputRecord) -> Bool { record.offset >= batch.writtenBefore }
}
