import Foundation
import Kafka
import Pipeline
import Observability
import Simulation
import Sinks
import Tracking

/// A demo while it lasts: sends, shows, and waits for the pipeline to finish.
struct DemoSession {
    private let follower: RunFollower
    private let sender: RecordSender
    private let probe: MetricsProbe
    private let stop: StopSignal
    private var table: LiveTable
    private let clock = ContinuousClock()
    private var sentRaw = 0

    /// Silence on all topics after which the pipeline is taken to be done, in seconds.
    private static let quietSeconds = 1.5
    /// Trips go on telling riders that nothing comes any more; this long after the last verdict that is not waited for.
    private static let longestTail = 10.0

    init(follower: RunFollower, sender: RecordSender, probe: MetricsProbe, stop: StopSignal, isLive: Bool) {
        self.follower = follower
        self.sender = sender
        self.probe = probe
        self.stop = stop
        table = LiveTable(isLive: isLive)
    }

    /// Sends a simulated fleet in real time; returns it with all it knows.
    mutating func simulate(_ options: FleetOptions, seconds: Double?) throws -> FleetSimulation {
        var drive = try FleetDrive(options: options)
        follower.withLedger { [drivers = drive.simulation.drivers] in $0.spoofing.expect(drivers) }
        let began = clock.now
        while !stop.isRaised {
            if let seconds, ReplayPlan.seconds(began.duration(to: clock.now)) >= seconds { break }
            try drive.advance(with: sender, stop: stop) { event in
                guard case .rawRecord(let record) = event, !record.isRepeat else { return }
                follower.withLedger { ledger in for fix in record.fixes { ledger.accuracy.expect(fix) } }
            }
            try sender.poll()
            try follower.checkFailure()
            show("\(options.drivers) simulated drivers")
            stop.wait(milliseconds: 5)
        }
        try drive.endTrips(with: sender)
        sentRaw = drive.rawRecords
        return drive.simulation
    }

    /// Sends a recording.
    mutating func replay(_ file: RecordedFile, speed: ReplaySpeed, seconds: Double?) throws {
        var plan = ReplayPlan(survey: try file.survey(), speed: speed)
        plan.begin(at: Timestamp(milliseconds: WallClock.milliseconds()))
        let began = clock.now
        do {
            try file.forEach(shiftMilliseconds: plan.shiftMilliseconds) { record in
                while case let elapsed = ReplayPlan.seconds(began.duration(to: clock.now)) {
                    if stop.isRaised || seconds.map({ elapsed >= $0 }) ?? false { throw Ended() }
                    guard let wait = plan.secondsUntil(record.at, elapsed: elapsed) else { break }
                    try sender.poll()
                    show("replaying \(file.path)")
                    stop.wait(milliseconds: Int(min(wait, 0.2) * 1000) + 1)
                }
                if let truth = record.truth { follower.withLedger { $0.accuracy.expect(truth) } }
                try sender.sendRaw(
                    key: record.key, value: record.value, timestamp: record.at, shouldGiveUp: { stop.isRaised })
                sentRaw += 1
                guard sentRaw % 256 == 0 else { return }
                try sender.poll()
                try follower.checkFailure()
                show("replaying \(file.path)")
            }
        } catch is Ended {}
    }

    private struct Ended: Error {}

    /// Waits until every fix has its outcome, all topics are silent and the stores have written them.
    ///
    /// When the time is up it goes on all the same: what is missing then is lost, and the report says so.
    mutating func drain(audit: StoreAudit, access: PipelineAccess, patienceSeconds: Double) throws {
        let began = clock.now
        var answeredAt: ContinuousClock.Instant?
        var backlog = 0
        while ReplayPlan.seconds(began.duration(to: clock.now)) < patienceSeconds {
            try follower.checkFailure()
            show("waiting for the pipeline to finish\(backlog > 0 ? ", \(backlog) records to be stored" : "")")
            Thread.sleep(forTimeInterval: 0.1)
            let sentRaw = sentRaw
            let isAnswered = follower.withLedger { $0.rawRecords >= sentRaw && $0.outcomes.missing == 0 }
            guard isAnswered else { continue }
            let answered = answeredAt ?? clock.now
            answeredAt = answered
            let progress = follower.progress
            let isTailOver = ReplayPlan.seconds(answered.duration(to: clock.now)) > Self.longestTail
            guard isTailOver || (progress.isAtEnd && progress.quietSeconds > Self.quietSeconds) else { continue }
            backlog = try audit.backlog(of: ends(progress.positions, access))
            if backlog == 0 { break }
        }
        table.finish()
    }

    /// The ends of the partitions in which something was written during the run.
    private func ends(_ positions: [TopicPartition: Int64], _ access: PipelineAccess) -> [SinkPartition: Int64] {
        var ends: [SinkPartition: Int64] = [:]
        for topic in PipelineTopic.allCases {
            let name = access.name(of: topic)
            for (partition, position) in positions
            where partition.topic == name && position > follower.starts[partition] ?? 0 {
                ends[SinkPartition(topic: topic.rawValue, partition: partition.partition)] = position
            }
        }
        return ends
    }

    private mutating func show(_ phase: String) {
        table.show(phase, lag: probe.summary) { [follower] in follower.withLedger { LiveFigures($0) } }
    }
}
