import Domain
import Processing
import Support

/// Batch whose partition is locked by this writer and begins at the partition's next offset.
struct LockedBatch {
    let batch: PartitionBatch
    /// Starts as the partition's stored watermark, and advances with the records.
    var watermark: Watermark
    /// `nil` if nothing is smoothed.
    var smoothing: PartitionSmoothing?

    /// Returns the record's event if it is new.
    ///
    /// Reads it from the header, so that duplicates need not be parsed, or else with `read` from the value. A header
    /// advances the watermark even if the value is unreadable.
    @inline(__always)
    mutating func event(
        of record: InputRecord, _ report: inout SinkReport, _ read: (ByteSlice) -> EventID?
    ) -> EventID? {
        guard let event = record.event ?? record.value.flatMap(read) else {
            if isCounted(record) { report.unreadable += 1 }
            return nil
        }
        guard watermark.advance(to: event) else {
            if isCounted(record) { report.repeated += 1 }
            return nil
        }
        return event
    }

    /// Whether the record counts in the report: the sink did not ask to read it again.
    func isCounted(_ record: InputRecord) -> Bool { record.offset >= batch.writtenBefore }
}
