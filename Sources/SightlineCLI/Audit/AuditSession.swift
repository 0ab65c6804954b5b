import Kafka
import Pipeline
import Observability
import Recordings
import SinkCommands
import Sinks
import Stages
import Tracking

/// One audit: waits for the pipeline, then compares partition by partition.
///
/// Belongs to one thread. Holds of one partition at a time 24 bytes for each record of a topic, and its drivers.
final class AuditSession {
    struct Options {
        var partitions: [Int32]?
        var waitSeconds: Double
        var hasHistory = true
        var hasRedis = true
        var countsRepeats = false
        var examples = 10
    }

    private let access: PipelineAccess
    private let readers: ReaderPool
    private let options: Options
    private let stop = StopSignal()
    private let checks: AuditChecks
    private let history: HistoryAudit?
    private let positions: PositionAudit?
    private var progress = ProgressLine()
    private var recordsRead = 0
    private var phase = ""
    /// Where the partitions end for this audit.
    private var ends: [SinkPartition: Int64] = [:]
    /// Up to where each worker had answered or stored everything before the reading began.
    private var settled: [String: [SinkPartition: Int64]] = [:]

    /// What is read, from the last topic to the first.
    static let topics: [PipelineTopic] = [
        .riderUpdates, .tripEtas, .warnings, .locationsDeadLetter, .locations, .tracks, .trips, .rawLocations,
    ]

    init(_ access: PipelineAccess, _ options: Options) throws {
        self.access = access
        readers = ReaderPool(access)
        self.options = options
        checks = AuditChecks(exampleLimit: options.examples, countsRepeats: options.countsRepeats)
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        history =
            options.hasHistory
            ? try HistoryAudit(
                access.settings.postgres, now: now, exampleLimit: options.examples, check: stop.check) : nil
        positions =
            options.hasRedis
            ? try PositionAudit(
                access.settings.positionSink(), now: now, exampleLimit: options.examples, check: stop.check) : nil
    }

    /// Audits everything.
    func run() throws -> AuditReport {
        defer { progress.clear() }
        let count = try access.partitionCount(of: Self.topics)
        let partitions = options.partitions ?? Array(0..<Int32(count))
        if let wrong = partitions.first(where: { $0 >= count }) {
            throw InputError("There is no partition \(wrong); the last one is \(count - 1).")
        }
        let catchUp = try CatchUp(
            access, partitions: partitions,
            sinks: SinkProgress(access.settings, hasHistory: options.hasHistory, hasRedis: options.hasRedis), stop: stop
        )
        let found = try catchUp.wait(seconds: options.waitSeconds) { text in progress.show { text } }
        checks.note(found.laggards, of: found.count)
        settled = found.settled
        // From the last topic to the first: whatever a record was made from lies before the end of its own topic.
        for topic in Self.topics { ends.merge(try catchUp.ends(of: [topic])) { $1 } }
        for partition in partitions { try audit(partition, catchUp) }
        if let positions {
            phase = "looking for drivers that no verdict speaks of"
            try positions.findForeignDrivers { progress.show { "\(phase)" } }
        }
        return AuditReport(
            partitions: partitions, checks: checks.all + (history?.checks ?? []) + (positions?.checks ?? []),
            recordsRead: recordsRead)
    }

    private func audit(_ partition: Int32, _ catchUp: CatchUp) throws {
        let scope = try scope(of: partition, catchUp)
        phase = "partition \(partition): judging again"
        try replayLocations(scope)
        phase = "partition \(partition): history and Redis"
        let verdicts = VerdictStream(try source(.locations, partition), check: checks.verdicts)
        try history?.compareLocations(scope, due: settled(HistorySink.name, .locations, partition), verdicts)
        try verdicts.finish()
        try positions?.compareDrivers(verdicts, scope, due: settled(PositionSink.name, .locations, partition))
        try history?.compareWarnings(
            scope, due: settled(HistorySink.name, .warnings, partition), try changelog(.warnings, partition))
        phase = "partition \(partition): arrival times"
        let sources = SourceAudit(
            verdicts.index, tripsEnd: end(.trips, partition), scope, delay: access.settings.arrival.delay)
        try sources.checkEtas(try source(.tripEtas, partition), into: checks.etas)
        try history?.compareTripEvents(
            scope, due: settled(HistorySink.name, .tripEtas, partition), try changelog(.tripEtas, partition))
        phase = "partition \(partition): rider updates"
        try replayBroadcast(partition)
        try checkUpdates(partition, sources)
    }

    // MARK: Running stages again

    private func replayLocations(_ scope: PartitionScope) throws {
        let settings = access.settings.tracking
        let partition = scope.partition
        var replay = StageReplay(
            layout: LocationStage.layout(settings: settings), partition: partition,
            stage: LocationStage(partition: partition, settings: settings),
            comparisons: [
                0: TopicComparison(try source(.locations, partition), check: checks.verdicts),
                1: TopicComparison(try source(.locationsDeadLetter, partition), check: checks.deadLetters),
                2: TopicComparison(try source(.warnings, partition), check: checks.warnings),
            ])
        if try isCut(.rawLocations, partition) || isCut(.locations, partition) {
            try replay.restore(side: [3: try source(.tracks, partition)])
        }
        try replay.run(try source(.rawLocations, partition), due: settled("location", .rawLocations, partition))
    }

    private func replayBroadcast(_ partition: Int32) throws {
        let settings = access.settings
        let memory = settings.tracking.memorySeconds
        var replay = StageReplay(
            layout: BroadcastStage.layout(memorySeconds: memory), partition: partition,
            stage: BroadcastStage(partition: partition, settings: settings.broadcast, memorySeconds: memory),
            comparisons: [0: TopicComparison(try source(.riderUpdates, partition), check: checks.updates)])
        if try isCut(.tripEtas, partition) || isCut(.riderUpdates, partition) { try replay.restore(side: [:]) }
        try replay.run(try source(.tripEtas, partition), due: settled("broadcast", .tripEtas, partition))
    }

    private func checkUpdates(_ partition: Int32, _ sources: SourceAudit) throws {
        let changelog = try changelog(.riderUpdates, partition)
        var states: [String: ChannelState] = [:]
        while let (record, event) = try changelog.next() {
            sources.checkUpdate(record, event, into: checks.updateSources)
            var clock = states[record.keyText]?.clock ?? PartitionClock()
            clock.advance(to: event)
            states[record.keyText] = ChannelState(
                clock: clock, event: event, offset: record.offset, at: record.timestamp)
        }
        try positions?.compareChannels(
            states, partition: partition, due: settled(PositionSink.name, .riderUpdates, partition))
    }

    // MARK: Reading

    private func source(_ topic: PipelineTopic, _ partition: Int32) throws -> PartitionSource {
        try PartitionSource(
            readers, topic, partition: partition, end: end(topic, partition), check: stop.check, noteRead: noteRead)
    }

    /// A partition as its readers see it; what they drop is noted where the topic is compared.
    private func changelog(_ topic: PipelineTopic, _ partition: Int32) throws -> ChangelogReader {
        ChangelogReader(try source(topic, partition), check: AuditCheck("", "", exampleLimit: 0))
    }

    private func noteRead() throws {
        recordsRead += 1
        guard recordsRead % 1024 == 0 else { return }
        try stop.check()
        progress.show { "\(phase), \(recordsRead) records read" }
    }

    private func end(_ topic: PipelineTopic, _ partition: Int32) -> Int64 {
        ends[SinkPartition(topic: topic.rawValue, partition: partition)] ?? 0
    }

    /// Up to where the stage or sink `worker` had answered or stored a partition before the reading began.
    private func settled(_ worker: String, _ topic: PipelineTopic, _ partition: Int32) -> Int64 {
        settled[worker]?[SinkPartition(topic: topic.rawValue, partition: partition)] ?? 0
    }

    /// Whether the partition's oldest records have been deleted.
    private func isCut(_ topic: PipelineTopic, _ partition: Int32) throws -> Bool {
        try low(topic, partition) > 0
    }

    private func low(_ topic: PipelineTopic, _ partition: Int32) throws -> Int64 {
        guard end(topic, partition) > 0 else { return 0 }
        let reader = try readers.take()
        defer { readers.giveBack(reader) }
        return try reader.watermarks(of: TopicPartition(topic: access.name(of: topic), partition: partition)).low
    }

    private func scope(of partition: Int32, _ catchUp: CatchUp) throws -> PartitionScope {
        func first(_ topic: PipelineTopic, _ origin: EventID.Origin) throws -> Int64 {
            guard try isCut(topic, partition) else { return 0 }
            let changelog = try changelog(topic, partition)
            while let next = try changelog.next() { if next.event.origin == origin { return next.event.offset } }
            return end(origin == .raw ? .rawLocations : .trips, partition)
        }
        return PartitionScope(
            partition: partition, firstRaw: try first(.locations, .raw), firstTrip: try first(.tripEtas, .trips),
            settledRaw: settled("location", .rawLocations, partition), settledTrips: settled("eta", .trips, partition)
        ) {
            let now = try catchUp.ends(of: [.rawLocations, .trips])
            func end(_ topic: PipelineTopic) -> Int64 {
                now[SinkPartition(topic: topic.rawValue, partition: partition)] ?? 0
            }
            return (end(.rawLocations), end(.trips))
        }
    }
}
