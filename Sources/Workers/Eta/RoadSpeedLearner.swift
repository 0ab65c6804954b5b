import Domain
import Processing
import Support

/// Learned road speeds of a partition's trips, with their checkpoints.
///
/// Each ``SpeedObservation`` is in the changelog record of its location. Changed entries are written to road.speeds as
/// checkpoints, ordered among the changelog records. A restored partition reads the last complete checkpoint and the
/// observations after it. Its table is then bit-identical to that of an uninterrupted partition.
struct RoadSpeedLearner {
    private(set) var table: RoadSpeedTable
    /// Observation of the current location; empty after its changelog record is written.
    private(set) var observation = SpeedObservation()
    private var observationEvent: EventID?

    private let checkpointMilliseconds: Int64
    private var checkpointedAt: Timestamp?
    private var progress: RoadSpeedRecord.CheckpointID
    private var stored = StoredRoadSpeeds()
    private var isLoaded = false
    private var hasChangelog = false

    /// Checkpoints per `memorySeconds`, the stream time that a restore reads; several, because one may be incomplete.
    private static let checkpointsPerMemory: Int64 = 5
    /// Maximum parts of an observation (50 km of road cells); more parts mean a gap, which is not learned.
    private static let maximumParts = 256

    init(partition: Int32, settings: RoadSpeedTable.Settings, memoryMilliseconds: Int64) {
        table = RoadSpeedTable(settings: settings)
        checkpointMilliseconds = memoryMilliseconds / Self.checkpointsPerMemory
        progress = RoadSpeedRecord.CheckpointID(generation: 0, event: EventID(partition: partition, offset: 0))
    }

    // MARK: Learning

    /// Begins the observation of the location with `event`, unless it was learned before a restart.
    mutating func beginObservation(at event: EventID) { observationEvent = event.isAfter(progress.event) ? event : nil }

    /// Learns from the stretch that `trip` drove last; without effect outside an observation.
    /// - Returns: the number of entries evicted for the new ones.
    @discardableResult mutating func learn(from trip: ActiveTrip) -> Int {
        guard observationEvent != nil, let time = trip.appendObservedParts(for: table, to: &observation.parts) else {
            return 0
        }
        guard observation.parts.count <= Self.maximumParts else {
            observation.parts.removeAll()
            return 0
        }
        observation.at = time
        let before = table.evictions
        for part in observation.parts { table.add(part, at: time) }
        return table.evictions - before
    }

    /// Ends the observation, after its changelog record has been written.
    mutating func endObservation() {
        if let observationEvent, !observation.isEmpty { progress.event = observationEvent }
        observationEvent = nil
        observation.removeAll()
    }

    // MARK: Checkpoints

    /// Writes changed entries to output `topic` if a checkpoint is due; call before the record at `now` is processed.
    mutating func checkpointIfDue(at now: Timestamp, topic: Int, into outputs: inout OutputBatch) {
        guard let last = checkpointedAt else {
            checkpointedAt = now
            return
        }
        guard now.milliseconds - last.milliseconds >= checkpointMilliseconds else { return }
        checkpoint(at: now, topic: topic, into: &outputs)
    }

    private mutating func checkpoint(at now: Timestamp, topic: Int, into outputs: inout OutputBatch) {
        checkpointedAt = now
        guard table.changeCount > 0 else { return }
        let progress = progress
        var key = ByteWriter(capacity: 64)
        table.drainChanges {
            let content = $1.map { RoadSpeedRecord.Content.entry($0) } ?? .removed($0)
            RoadSpeedRecord.write(content, progress, at: now, topic: topic, key: &key, into: &outputs)
        }
        RoadSpeedRecord.write(.end, progress, at: now, topic: topic, key: &key, into: &outputs)
    }

    // MARK: Restoring

    mutating func restore(_ record: InputRecord) {
        if let record = RoadSpeedRecord(record) { stored.add(record) }
    }

    /// Restores the observation of a changelog record, unless the last checkpoint contains it.
    mutating func restore(_ observation: SpeedObservation, at event: EventID) {
        load()
        hasChangelog = true
        guard event.origin == .raw, event.isAfter(progress.event) else { return }
        for part in observation.parts { table.add(part, at: observation.at) }
        if !observation.isEmpty { progress.event = event }
    }

    /// Ends the restore with a checkpoint; `changelog`: last raw event of the changelog, `time`: its newest timestamp.
    mutating func finishRestore(changelog: EventID?, at time: Timestamp?, topic: Int, into outputs: inout OutputBatch) {
        load()
        for key in stored.keysToRewrite { table.markChanged(key) }
        if let last = stored.last, isFromFormerTopics(last, changelog) {
            // Keeps the learned speeds, in a new generation.
            progress = RoadSpeedRecord.CheckpointID(
                generation: last.generation + 1, event: EventID(partition: last.event.partition, offset: 0))
            for entry in stored.entries { table.markChanged(entry.key) }
        }
        if let changelog, changelog.isAfter(progress.event) { progress.event = changelog }
        stored = StoredRoadSpeeds()
        guard let time else { return }
        checkpoint(at: time, topic: topic, into: &outputs)
    }

    /// Returns whether the last checkpoint is ahead of the changelog, because the topics were
    /// recreated.
    private func isFromFormerTopics(_ last: RoadSpeedRecord.CheckpointID, _ changelog: EventID?) -> Bool {
        guard let changelog else { return !hasChangelog }
        return last.event.isAfter(changelog)
    }

    /// Loads the last complete checkpoint into the table, once.
    private mutating func load() {
        guard !isLoaded else { return }
        isLoaded = true
        for entry in stored.entries { table.restore(entry) }
        if let last = stored.last { progress = last }
    }
}
