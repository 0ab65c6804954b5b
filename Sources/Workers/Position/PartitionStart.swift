import Model

/// How far a partition was written before the write at hand.
///
/// What a driver's key holds of the partition's events is written with the partition's clock, so an event beyond it is
/// from another life of the topics: they were created anew, and their events began anew with them; or the clock was lost.
/// The receipts tell which of two positions is the later one then.
struct PartitionStart {
    let partition: Int32
    let events: Watermark

    /// Whether the partition was never written as far as `event`, which a key holds.
    func isBefore(_ event: EventID) -> Bool {
        guard event.partition == partition else { return false }
        return events.last(of: event.origin).map { event.isAfter($0) } ?? true
    }
}
