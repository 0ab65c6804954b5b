import Lanes

/// Some lanes of a write, to be written in one transaction.
struct LaneGroup {
    /// A lane that is written, with its clock as the group's batches move it.
    struct Lane {
        var name: SinkLane
        var clock: StoredClock
        var epoch: UInt32
    }

    private(set) var batches: [LaneBatch] = []
    /// The lanes of the batches, each once.
    private(set) var names: [SinkLane] = []
    /// Those whose batches were taken in; the others are superseded.
    var lanes: [Lane] = []
    /// What the group does to the report, once Redis has confirmed it.
    var report = SinkReport()
    /// Commands sent between `MULTI` and `EXEC`; `nil` when there was nothing to write.
    var commandCount: Int?

    /// The batches in groups of whole batches, each closed once it holds `size` records.
    static func groups(of batches: [LaneBatch], size: Int) -> [LaneGroup] {
        var groups: [LaneGroup] = []
        var open = LaneGroup()
        var count = 0
        for batch in batches {
            open.add(batch)
            count += batch.records.count
            if count >= size {
                groups.append(open)
                open = LaneGroup()
                count = 0
            }
        }
        if !open.batches.isEmpty { groups.append(open) }
        return groups
    }

    private mutating func add(_ batch: LaneBatch) {
        batches.append(batch)
        if !names.contains(batch.lane) { names.append(batch.lane) }
    }

    /// The batches that were taken in.
    var writtenBatches: [LaneBatch] { batches.filter { batch in lanes.contains { $0.name == batch.lane } } }
}
