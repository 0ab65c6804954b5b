import Domain
import Processing

/// Batches that are written in one Redis transaction.
struct PartitionGroup {
    struct Partition {
        var name: SinkPartition
        /// Progress after the group's batches.
        var progress: StoredWatermark
        var generation: UInt32
        /// Progress before the group's batches.
        let before: StoredWatermark
    }

    /// Progress of the partitions before the group, by generation.
    var starts: [UInt32: PartitionStart] {
        let pairs = partitions.map {
            ($0.generation, PartitionStart(partition: $0.name.partition, events: $0.before.watermark))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private(set) var batches: [PartitionBatch] = []
    /// Partitions of the batches, without duplicates.
    private(set) var names: [SinkPartition] = []
    /// Partitions whose batches are written; other partitions of ``names`` are superseded.
    var partitions: [Partition] = []
    /// Report of the group; added to that of the write once Redis has confirmed the transaction.
    var report = SinkReport()
    /// Number of commands between `MULTI` and `EXEC`; `nil` if there is nothing to write.
    var commandCount: Int?

    /// Groups whole batches; a group is complete once it has `size` records.
    static func groups(of batches: [PartitionBatch], size: Int) -> [PartitionGroup] {
        var groups: [PartitionGroup] = []
        var open = PartitionGroup()
        var count = 0
        for batch in batches {
            open.add(batch)
            count += batch.records.count
            if count >= size {
                groups.append(open)
                open = PartitionGroup()
                count = 0
            }
        }
        if !open.batches.isEmpty { groups.append(open) }
        return groups
    }

    private mutating func add(_ batch: PartitionBatch) {
        batches.append(batch)
        if !names.contains(batch.partition) { names.append(batch.partition) }
    }

    var writtenBatches: [PartitionBatch] {
        batches.filter { batch in partitions.contains { $0.name == batch.partition } }
    }
}

/// Progress of a partition before a write.
///
/// Driver keys are written together with the partition's progress. If a key contains an event beyond the progress, the
/// topics were recreated or the progress was lost. Receipt times then decide which position is newer.
struct PartitionStart {
    let partition: Int32
    let events: Watermark

    /// Returns whether `event`, found in a key, is beyond the partition's progress.
    func isBefore(_ event: EventID) -> Bool {
        guard event.partition == partition else { return false }
        return events.last(of: event.origin).map { event.isAfter($0) } ?? true
    }
}
