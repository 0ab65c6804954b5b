import Processors
import Domain
import HistoryWorker
import Kafka
import PositionWorker
import Processing
import Recordings
import Runtime
import Support

/// An audit, which waits for the pipeline and then checks the partitions one by one.
///
/// Its memory is 48 bytes per record of one partition, plus the partition's drivers.
package final class AuditSession {
    package struct Options {
        var partitions: [Int32]?
        /// Start of the run to audit; `nil` audits everything in the topics.
        var since: TopicOffsets?
        var waitSeconds: Double
        var hasHistory = true
        var hasRedis = true
        var countsRepeats = false
        var examples = 10

        /// Returns the options of an audit of topics and Redis.
        package static func withoutHistory(waitSeconds: Double) -> Options {
            Options(waitSeconds: waitSeconds, hasHistory: false)
        }
    }

    private let access: PipelineAccess
    private let readers: ReaderPool
    private let options: Options
    private let stop: StopSignal
    private let show: (String) -> Void
    private let checks: AuditChecks
    private let history: HistoryAudit?
    private let positions: PositionAudit?
    private var recordsRead = 0
    private var phase = ""
    /// Offsets up to which this audit reads.
    private var ends = TopicOffsets()
    /// Offsets up to which each worker had processed its inputs before the audit started to read.
    private var settled: [String: TopicOffsets] = [:]

    /// The topics that are read, in reverse order of the data flow.
    static let topics: [PipelineTopic] = [
        .riderUpdates, .tripEtas, .warnings, .locationsDeadLetter, .locations, .tracks, .trips, .rawLocations,
    ]

    /// Connects to the stores; `show` is called with the progress.
    package init(
        _ access: PipelineAccess, _ options: Options, stop: StopSignal = StopSignal(), show: @escaping (String) -> Void
    ) throws {
        self.access = access
        self.stop = stop
        self.show = show
        readers = ReaderPool(access)
        self.options = options
        checks = AuditChecks(examples: options.examples, countsRepeats: options.countsRepeats)
        let now = Timestamp.now
        history = options.hasHistory ? try HistoryAudit(access.settings, checks, now: now, check: stop.check) : nil
        positions =
            options.hasRedis
            ? try PositionAudit(access.settings.positionSink(), checks, now: now, check: stop.check) : nil
    }

    package func run() throws -> AuditReport {
        let count = try access.partitionCount(of: Self.topics)
        let partitions = options.partitions ?? Array(0..<Int32(count))
        if let missing = partitions.first(where: { $0 >= count }) {
            throw InputError("There is no partition \(missing); use 0 to \(count - 1).")
        }
        var sinks: [any Sink] = options.hasHistory ? [HistorySink(access.settings.historySink)] : []
        if options.hasRedis { sinks.append(try PositionSink(access.settings.positionSink())) }
        let catchUp = try CatchUp(access, partitions: partitions, sinks: sinks, stop: stop)
        let result = try catchUp.wait(seconds: options.waitSeconds, show: show)
        checks.add(result.laggards, of: result.count)
        settled = result.settled
        ends = try catchUp.ends.findAll(check: stop.check)
        for partition in partitions { try audit(partition, catchUp) }
        if let positions {
            phase = "searching Redis for drivers without a verdict"
            try positions.findForeignDrivers { show(phase) }
        }
        return AuditReport(
            partitions: partitions, checks: checks.all(hasHistory: options.hasHistory, hasRedis: options.hasRedis),
            recordsRead: recordsRead, isOfRun: options.since != nil)
    }

    private func audit(_ partition: Int32, _ catchUp: CatchUp) throws {
        let scope = try scope(of: partition, catchUp)
        phase = "partition \(partition): processing raw records"
        try replayLocations(scope)
        phase = "partition \(partition): history and Redis"
        let verdicts = VerdictStream(try source(.locations, scope), check: checks.verdicts)
        try history?.compareLocations(scope, due: settled(HistorySink.name, .locations, partition), verdicts)
        try verdicts.finish()
        try history?.compareSmoothed(
            scope, due: settled(HistorySink.name, .locations, partition), try source(.locations, scope))
        try positions?.compareDrivers(verdicts, scope, due: settled(PositionSink.name, .locations, partition))
        try history?.compareWarnings(
            scope, due: settled(HistorySink.name, .warnings, partition), try changelog(.warnings, scope))
        phase = "partition \(partition): arrival times"
        let sources = SourceAudit(
            verdicts.index, tripsEnd: ends[.trips, partition], scope, delay: access.settings.arrival.delay)
        try sources.checkEtas(try source(.tripEtas, scope), into: checks.etas)
        try history?.compareTripEvents(
            scope, due: settled(HistorySink.name, .tripEtas, partition), try changelog(.tripEtas, scope))
        phase = "partition \(partition): rider updates"
        try replayBroadcast(scope)
        try checkUpdates(scope, sources)
    }

    // MARK: Running processors again

    private func replayLocations(_ scope: PartitionScope) throws {
        let settings = access.settings.tracking
        let partition = scope.partition
        let layout = LocationProcessor.layout(settings: settings)
        let memory = try memory(of: layout, .locations, .rawLocations, scope)
        var replay = ProcessorReplay(
            layout: layout, partition: partition,
            processor: LocationProcessor(partition: partition, settings: settings),
            comparisons: [
                0: TopicComparison(try source(.locations, partition, from: memory.changelog), check: checks.verdicts),
                1: TopicComparison(try source(.locationsDeadLetter, scope), check: checks.deadLetters),
                2: TopicComparison(try source(.warnings, scope), check: checks.warnings),
            ])
        if try scope.since != nil || low(.rawLocations, partition) > 0 || low(.locations, partition) > 0 {
            let isOfRun = scope.since.map { _ in scope.contains }
            try replay.restore(side: [3: try source(.tracks, partition)], until: isOfRun)
        }
        let raw = try source(.rawLocations, partition, from: scope.since?[.rawLocations, partition] ?? 0)
        try replay.run(raw, due: settled("location", .rawLocations, partition))
    }

    private func replayBroadcast(_ scope: PartitionScope) throws {
        let settings = access.settings
        let partition = scope.partition
        let memorySeconds = settings.tracking.memorySeconds
        let layout = BroadcastProcessor.layout(memorySeconds: memorySeconds)
        let memory = try memory(of: layout, .riderUpdates, .tripEtas, scope)
        let updates = try source(.riderUpdates, partition, from: memory.changelog)
        var replay = ProcessorReplay(
            layout: layout, partition: partition,
            processor: BroadcastProcessor(
                partition: partition, settings: settings.broadcast, memorySeconds: memorySeconds),
            comparisons: [0: TopicComparison(updates, check: checks.updates)])
        if try scope.since != nil || low(.tripEtas, partition) > 0 || low(.riderUpdates, partition) > 0 {
            try replay.restore(side: [:], until: scope.since.map { _ in scope.contains })
        }
        let etas = try source(.tripEtas, partition, from: memory.input)
        try replay.run(etas, due: settled("broadcast", .tripEtas, partition))
    }

    private func checkUpdates(_ scope: PartitionScope, _ sources: SourceAudit) throws {
        let changelog = try changelog(.riderUpdates, scope)
        var states: [String: ChannelState] = [:]
        while let (record, event) = try changelog.next() {
            sources.checkUpdate(record, event, into: checks.updateSources)
            var watermark = states[record.keyText]?.watermark ?? Watermark()
            watermark.advance(to: event)
            states[record.keyText] = ChannelState(
                watermark: watermark, event: event, offset: record.offset, at: record.timestamp)
        }
        let partition = scope.partition
        try positions?.compareChannels(
            states, partition: partition, due: settled(PositionSink.name, .riderUpdates, partition))
    }

    /// Returns the offsets from which a processor's state before the run is restored; 0 without a run.
    ///
    /// As for a worker that is assigned the partition, they follow from the newest timestamp of the last 100 changelog
    /// records, minus the memory of the processor (`memoryMilliseconds`).
    private func memory(
        of layout: ProcessorLayout, _ changelog: PipelineTopic, _ input: PipelineTopic, _ scope: PartitionScope
    ) throws -> (changelog: Int64, input: Int64) {
        let end = scope.since?[changelog, scope.partition] ?? 0
        let tail = try source(changelog, scope.partition, from: max(0, end - 100), to: end)
        var newest: Timestamp?
        while let record = try tail.next() { newest = max(newest ?? record.timestamp, record.timestamp) }
        guard let newest else { return (0, 0) }
        let since = Timestamp(milliseconds: newest.milliseconds - layout.memoryMilliseconds)
        let reader = try readers.acquire()
        defer { readers.release(reader) }
        let names = [changelog, input].map { access.partition(scope.partition, of: $0) }
        let found = try reader.offsets(of: names, atOrAfter: { _ in since })
        // Without a record since then, everything is restored, because restoring too much is safe.
        return (found[names[0]] ?? 0, found[names[1]] ?? 0)
    }

    // MARK: Reading

    /// Reads a partition between two offsets; by default from the oldest record to its end in ``ends``.
    private func source(
        _ topic: PipelineTopic, _ partition: Int32, from start: Int64 = 0, to end: Int64? = nil,
        where isIncluded: @escaping (AuditedRecord) -> Bool = { _ in true }
    ) throws -> PartitionSource {
        try PartitionSource(
            readers, topic, partition: partition, from: start, end: end ?? ends[topic, partition], where: isIncluded,
            check: stop.check, countRead: countRead)
    }

    private func source(_ topic: PipelineTopic, _ scope: PartitionScope) throws -> PartitionSource {
        guard let since = scope.since else { return try source(topic, scope.partition) }
        return try source(topic, scope.partition, from: since[topic, scope.partition]) { record in
            record.event.map(scope.contains) ?? true
        }
    }

    /// Reads a partition without repeated records; the check of the topic counts the repetitions.
    private func changelog(_ topic: PipelineTopic, _ scope: PartitionScope) throws -> ChangelogReader {
        ChangelogReader(try source(topic, scope))
    }

    private func countRead() throws {
        recordsRead += 1
        guard recordsRead % 1024 == 0 else { return }
        try stop.check()
        show("\(phase), \(recordsRead) records read")
    }

    /// Returns the offset up to which `worker` had processed a partition before the audit started to read.
    private func settled(_ worker: String, _ topic: PipelineTopic, _ partition: Int32) -> Int64 {
        settled[worker]?[topic, partition] ?? 0
    }

    /// Returns the offset of the oldest record that retention has kept; 0 for an empty partition.
    private func low(_ topic: PipelineTopic, _ partition: Int32) throws -> Int64 {
        guard ends[topic, partition] > 0 else { return 0 }
        let reader = try readers.acquire()
        defer { readers.release(reader) }
        return try reader.offsetRange(of: access.partition(partition, of: topic)).low
    }

    private func scope(of partition: Int32, _ catchUp: CatchUp) throws -> PartitionScope {
        func first(_ topic: PipelineTopic, _ origin: EventID.Origin) throws -> Int64 {
            guard try low(topic, partition) > 0 else { return 0 }
            let changelog = ChangelogReader(try source(topic, partition))
            while let next = try changelog.next() { if next.event.origin == origin { return next.event.offset } }
            return ends[origin == .raw ? .rawLocations : .trips, partition]
        }
        let since = try start(of: partition)
        return PartitionScope(
            partition: partition, since: since,
            firstRaw: try since?[.rawLocations, partition] ?? first(.locations, .raw),
            firstTrip: try since?[.trips, partition] ?? first(.tripEtas, .trips),
            settledRaw: settled("location", .rawLocations, partition), settledTrips: settled("eta", .trips, partition)
        ) { [stop] in
            let now = try catchUp.ends.find([.rawLocations, .trips], check: stop.check)
            return (now[.rawLocations, partition], now[.trips, partition])
        }
    }

    /// Returns the start of the run in a partition; `nil` without a run, or if retention has deleted the start.
    ///
    /// With `nil`, everything is audited.
    private func start(of partition: Int32) throws -> TopicOffsets? {
        guard let since = options.since else { return nil }
        for topic in Self.topics where try low(topic, partition) > since[topic, partition] { return nil }
        return since
    }
}
