import Model
import Processing

/// Some partitions of a write, to be written in one transaction.
struct PartitionGroup {
    /// A partition that is written, with its clock as the group's batches move it.
    struct Partition {
        var name: SinkPartition
        var clock: StoredWatermark
        var epoch: UInt32
        /// Where it stood before the group.
        let before: StoredWatermark
    }

    /// Where the partitions that are written stood before, by epoch.
    var starts: [UInt32: PartitionStart] {
        let pairs = partitions.map {
            ($0.epoch, PartitionStart(partition: $0.name.partition, events: $0.before.events))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private(set) var batches: [PartitionBatch] = []
    /// The partitions of the batches, each once.
    private(set) var names: [SinkPartition] = []
    /// Those whose batches were taken in; the others are superseded.
    var partitions: [Partition] = []
    /// What the group does to the report, once Redis has confirmed it.
    var report = SinkReport()
    /// Commands sent between `MULTI` and `EXEC`; `nil` when there was nothing to write.
    var commandCount: Int?

    /// The batches in groups of whole batches, each closed once it holds `size` records.
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

    /// The batches that were taken in.
    var writtenBatches: [PartitionBatch] {
        batches.filter { batch in partitions.contains { $0.name == batch.partition } }
    }
}
