import ArrivalTimes
import Model
import Processing
import Support

/// What a partition has learned from its trips, for the arrival times of all of them, and how that outlives the
/// process.
///
/// Each ``SpeedObservation`` travels in the changelog record of the location that taught it. Several times within the changelog
/// that a restore reads, what has changed goes to the paces topic: a checkpoint, in its place between changelog
/// records. So a restored partition takes the last whole checkpoint and the lessons after it, and knows bit for bit
/// what one that never stopped knows.
struct RoadSpeedLearner {
    private(set) var memory: RoadSpeedTable
    /// What the location at hand has taught, until its changelog record is written.
    private(set) var lesson = SpeedObservation()
    private var lessonEvent: EventID?

    private let checkpointMilliseconds: Int64
    private var checkpointedAt: Timestamp?
    private var stamp: RoadSpeedRecord.Stamp
    private var stored = StoredRoadSpeeds()
    private var isLoaded = false
    private var hasChangelog = false

    /// Checkpoints within the changelog that a restore reads: several, so that one that failed is made up for in time.
    private static let checkpointsPerMemory: Int64 = 5
    /// A stretch over more cells than this (about 50 km) is a gap, and teaches nothing.
    private static let maximumParts = 256

    init(partition: Int32, settings: RoadSpeedTable.Settings, memoryMilliseconds: Int64) {
        memory = RoadSpeedTable(settings: settings)
        checkpointMilliseconds = memoryMilliseconds / Self.checkpointsPerMemory
        stamp = RoadSpeedRecord.Stamp(epoch: 0, event: EventID(partition: partition, offset: 0))
    }

    // MARK: Learning

    /// Begins the lesson of the location of `event`; until ``endLesson()`` the partition learns from it.
    mutating func beginLesson(at event: EventID) {
        // What was learned before a restart is not learned again.
        lessonEvent = event.isAfter(stamp.event) ? event : nil
    }

    /// Learns from the stretch that `trip` drove last.
    /// - Returns: how much else had to be forgotten for it.
    @discardableResult
    mutating func learnPaces(from trip: ActiveTrip) -> Int {
        guard lessonEvent != nil, let time = trip.appendDrivenParts(for: memory, to: &lesson.parts) else { return 0 }
        guard lesson.parts.count <= Self.maximumParts else {
            lesson.parts.removeAll()
            return 0
        }
        lesson.at = time
        let before = memory.evictions
        for part in lesson.parts { memory.add(part, at: time) }
        return memory.evictions - before
    }

    /// Ends the lesson, after it has been written.
    mutating func endLesson() {
        if let lessonEvent, !lesson.isEmpty { stamp.event = lessonEvent }
        lessonEvent = nil
        lesson.removeAll()
    }

    // MARK: Checkpoints

    /// Writes what has changed to output `topic`, when it is time; comes before the record that `now` is the time of.
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
        guard memory.changeCount > 0 else { return }
        let stamp = stamp
        var key = ByteWriter(capacity: 64)
        memory.takeChanges {
            let content = $1.map { RoadSpeedRecord.Content.pace($0) } ?? .noPace($0)
            RoadSpeedRecord.write(content, stamp, at: now, topic: topic, key: &key, into: &outputs)
        }
        RoadSpeedRecord.write(.end, stamp, at: now, topic: topic, key: &key, into: &outputs)
    }

    // MARK: Restoring

    /// Takes in a record of the paces topic.
    mutating func recall(_ record: InputRecord) {
        if let record = RoadSpeedRecord(record) { stored.take(record) }
    }

    /// Takes in the lesson of a changelog record, unless the last checkpoint contains it.
    mutating func recall(_ lesson: SpeedObservation, at event: EventID) {
        load()
        hasChangelog = true
        guard event.origin == .raw, event.isAfter(stamp.event) else { return }
        for part in lesson.parts { memory.add(part, at: lesson.at) }
        if !lesson.isEmpty { stamp.event = event }
    }

    /// Ends the restore, with a checkpoint: what the last one lacks must be safe before the changelog gets too long.
    ///
    /// `changelog`: the last event of the raw topic in the changelog; `time`: that of the changelog's last record.
    mutating func finishRestore(
        changelog: EventID?, at time: Timestamp?, topic: Int, into outputs: inout OutputBatch
    ) {
        load()
        for key in stored.keysToRepeat { memory.handOverAgain(key) }
        if let last = stored.last, isAnew(last, changelog) {
            // The topics were made anew and count from 0 again: what was learned stays, stamped afresh.
            stamp = RoadSpeedRecord.Stamp(
                epoch: last.epoch + 1, event: EventID(partition: last.event.partition, offset: 0))
            for entry in stored.paces { memory.handOverAgain(entry.key) }
        }
        if let changelog, changelog.isAfter(stamp.event) { stamp.event = changelog }
        stored = StoredRoadSpeeds()
        guard let time else { return }
        checkpoint(at: time, topic: topic, into: &outputs)
    }

    /// Whether the last checkpoint is of offsets that are no more: the changelog, which it sums up, has not come so
    /// far.
    private func isAnew(_ last: RoadSpeedRecord.Stamp, _ changelog: EventID?) -> Bool {
        guard let changelog else { return !hasChangelog }
        return last.event.isAfter(changelog)
    }

    /// Makes the memory that of the last whole checkpoint; what comes after it is in the changelog.
    private mutating func load() {
        guard !isLoaded else { return }
        isLoaded = true
        for entry in stored.paces { memory.restore(entry) }
        if let last = stored.last { stamp = last }
    }
}
