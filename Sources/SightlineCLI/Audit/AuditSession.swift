import Kafka
import Lanes
import Observability
import Recordings
import SinkCommands
import Sinks
import Stages
import Tracking

/// One audit: waits for the pipeline, then compares lane by lane.
///
/// Belongs to one thread. Holds of one lane at a time 24 bytes for each record of a topic, and its drivers.
final class AuditSession {
    struct Options {
        var lanes: [Int32]?
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
    /// Where the lanes end for this audit.
    private var ends: [SinkLane: Int64] = [:]
    /// Up to where each worker had answered or stored everything before the reading began.
    private var settled: [String: [SinkLane: Int64]] = [:]

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
        let count = try access.laneCount(of: Self.topics)
        let lanes = options.lanes ?? Array(0..<Int32(count))
        if let wrong = lanes.first(where: { $0 >= count }) {
            throw InputError("There is no lane \(wrong); the last one is \(count - 1).")
        }
        let catchUp = try CatchUp(
            access, lanes: lanes,
            sinks: SinkProgress(access.settings, hasHistory: options.hasHistory, hasRedis: options.hasRedis), stop: stop
        )
        let found = try catchUp.wait(seconds: options.waitSeconds) { text in progress.show { text } }
        checks.note(found.laggards, of: found.count)
        settled = found.settled
        // From the last topic to the first: whatever a record was made from lies before the end of its own topic.
        for topic in Self.topics { ends.merge(try catchUp.ends(of: [topic])) { $1 } }
        for lane in lanes { try audit(lane, catchUp) }
        if let positions {
            phase = "looking for drivers that no verdict speaks of"
            try positions.findForeignDrivers { progress.show { "\(phase)" } }
        }
        return AuditReport(
            lanes: lanes, checks: checks.all + (history?.checks ?? []) + (positions?.checks ?? []),
            recordsRead: recordsRead)
    }

    private func audit(_ lane: Int32, _ catchUp: CatchUp) throws {
        let scope = try scope(of: lane, catchUp)
        phase = "lane \(lane): judging again"
        try replayLocations(scope)
        phase = "lane \(lane): history and Redis"
        let verdicts = VerdictStream(try source(.locations, lane), check: checks.verdicts)
        try history?.compareLocations(scope, due: settled(HistorySink.name, .locations, lane), verdicts)
        try verdicts.finish()
        try positions?.compareDrivers(verdicts, scope, due: settled(PositionSink.name, .locations, lane))
        try history?.compareWarnings(
            scope, due: settled(HistorySink.name, .warnings, lane), try journal(.warnings, lane))
        phase = "lane \(lane): arrival times"
        let sources = SourceAudit(
            verdicts.index, tripsEnd: end(.trips, lane), scope, delay: access.settings.arrival.delay)
        try sources.checkEtas(try source(.tripEtas, lane), into: checks.etas)
        try history?.compareTripEvents(
            scope, due: settled(HistorySink.name, .tripEtas, lane), try journal(.tripEtas, lane))
        phase = "lane \(lane): rider updates"
        try replayBroadcast(lane)
        try checkUpdates(lane, sources)
    }

    // MARK: Running stages again

    private func replayLocations(_ scope: LaneScope) throws {
        let settings = access.settings.tracking
        let lane = scope.lane
        var replay = StageReplay(
            layout: LocationStage.layout(settings: settings), lane: lane,
            stage: LocationStage(lane: lane, settings: settings),
            comparisons: [
                0: TopicComparison(try source(.locations, lane), check: checks.verdicts),
                1: TopicComparison(try source(.locationsDeadLetter, lane), check: checks.deadLetters),
                2: TopicComparison(try source(.warnings, lane), check: checks.warnings),
            ])
        if try isCut(.rawLocations, lane) || isCut(.locations, lane) {
            try replay.restore(side: [3: try source(.tracks, lane)])
        }
        try replay.run(try source(.rawLocations, lane), due: settled("location", .rawLocations, lane))
    }

    private func replayBroadcast(_ lane: Int32) throws {
        let settings = access.settings
        let memory = settings.tracking.memorySeconds
        var replay = StageReplay(
            layout: BroadcastStage.layout(memorySeconds: memory), lane: lane,
            stage: BroadcastStage(lane: lane, settings: settings.broadcast, memorySeconds: memory),
            comparisons: [0: TopicComparison(try source(.riderUpdates, lane), check: checks.updates)])
        if try isCut(.tripEtas, lane) || isCut(.riderUpdates, lane) { try replay.restore(side: [:]) }
        try replay.run(try source(.tripEtas, lane), due: settled("broadcast", .tripEtas, lane))
    }

    private func checkUpdates(_ lane: Int32, _ sources: SourceAudit) throws {
        let journal = try journal(.riderUpdates, lane)
        var states: [String: ChannelState] = [:]
        while let (record, event) = try journal.next() {
            sources.checkUpdate(record, event, into: checks.updateSources)
            var clock = states[record.keyText]?.clock ?? LaneClock()
            clock.advance(to: event)
            states[record.keyText] = ChannelState(
                clock: clock, event: event, offset: record.offset, at: record.timestamp)
        }
        try positions?.compareChannels(states, lane: lane, due: settled(PositionSink.name, .riderUpdates, lane))
    }

    // MARK: Reading

    private func source(_ topic: PipelineTopic, _ lane: Int32) throws -> LaneSource {
        try LaneSource(
            readers, topic, lane: lane, end: end(topic, lane), check: stop.check, noteRead: noteRead)
    }

    /// A lane as its readers see it; what they drop is noted where the topic is compared.
    private func journal(_ topic: PipelineTopic, _ lane: Int32) throws -> JournalReader {
        JournalReader(try source(topic, lane), check: AuditCheck("", "", exampleLimit: 0))
    }

    private func noteRead() throws {
        recordsRead += 1
        guard recordsRead % 1024 == 0 else { return }
        try stop.check()
        progress.show { "\(phase), \(recordsRead) records read" }
    }

    private func end(_ topic: PipelineTopic, _ lane: Int32) -> Int64 {
        ends[SinkLane(topic: topic.rawValue, lane: lane)] ?? 0
    }

    /// Up to where the stage or sink `worker` had answered or stored a lane before the reading began.
    private func settled(_ worker: String, _ topic: PipelineTopic, _ lane: Int32) -> Int64 {
        settled[worker]?[SinkLane(topic: topic.rawValue, lane: lane)] ?? 0
    }

    /// Whether the lane's oldest records have been deleted.
    private func isCut(_ topic: PipelineTopic, _ lane: Int32) throws -> Bool {
        try low(topic, lane) > 0
    }

    private func low(_ topic: PipelineTopic, _ lane: Int32) throws -> Int64 {
        guard end(topic, lane) > 0 else { return 0 }
        let reader = try readers.take()
        defer { readers.giveBack(reader) }
        return try reader.watermarks(of: KafkaLane(topic: access.name(of: topic), partition: lane)).low
    }

    private func scope(of lane: Int32, _ catchUp: CatchUp) throws -> LaneScope {
        func first(_ topic: PipelineTopic, _ origin: EventID.Origin) throws -> Int64 {
            guard try isCut(topic, lane) else { return 0 }
            let journal = try journal(topic, lane)
            while let next = try journal.next() { if next.event.origin == origin { return next.event.offset } }
            return end(origin == .raw ? .rawLocations : .trips, lane)
        }
        return LaneScope(
            lane: lane, firstRaw: try first(.locations, .raw), firstTrip: try first(.tripEtas, .trips),
            settledRaw: settled("location", .rawLocations, lane), settledTrips: settled("eta", .trips, lane)
        ) {
            let now = try catchUp.ends(of: [.rawLocations, .trips])
            func end(_ topic: PipelineTopic) -> Int64 { now[SinkLane(topic: topic.rawValue, lane: lane)] ?? 0 }
            return (end(.rawLocations), end(.trips))
        }
    }
}
