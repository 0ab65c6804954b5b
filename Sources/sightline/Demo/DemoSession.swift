import Runtime
import Simulation
import Support

/// A demo while it lasts: sends, shows, and has what became of it audited.
///
/// Belongs to one thread.
final class DemoSession {
    private let access: PipelineAccess
    private let start: AuditStart
    private let follower: TopicFollower<DemoFigures>
    private let sender: RecordSender
    private let probe: MetricsProbe
    private let stop = StopSignal()
    private var table: DemoTable
    private var drive: FleetDrive?
    private let mapURL: String?
    private let pushLog: String?
    private var phone: DemoPhone?
    private let clock = ContinuousClock()
    /// push-worker is no part of what the audit waits for.
    private static let notificationPatience = Duration.seconds(15)
    /// Time between two rounds of the simulated fleet, in milliseconds.
    ///
    /// A round is one batch per partition, and so is what each stage makes of it. The local broker lists all batches of
    /// a partition for each fetch: with a batch per location it is slow after some minutes.
    private static let roundMilliseconds = 1000

    /// Finds where the run begins, and begins to follow it.
    /// - Throws: ``InputError`` when topics are missing, and what is wrong with the broker or with the stores, which
    ///   are looked for before anything is sent.
    ///
    /// `mapURL`: of the gateway's live map, to be shown; `nil` where no gateway runs. `pushLog`: what push-worker writes
    /// in a dry run; `nil` where it does not run.
    init(
        _ access: PipelineAccess, metricsURLs: [String], mapURL: String? = nil, pushLog: String? = nil, isLive: Bool,
        terminal: Terminal
    ) throws {
        self.access = access
        self.mapURL = mapURL
        self.pushLog = pushLog
        probe = try MetricsProbe(urls: metricsURLs)
        _ = try AuditSession(access, AuditSession.Options(waitSeconds: 0), stop: stop) { _ in }
        start = try AuditStart(access)
        sender = try RecordSender(access)
        table = DemoTable(isLive: isLive, terminal: terminal)
        table.mapURL = mapURL
        let topics = DemoReader.topics
        follower = TopicFollower(
            access.kafka, topics: topics.map { access.name(of: $0) }, from: start.positions(of: topics, access),
            into: DemoFigures()
        ) {
            let reader = DemoReader()
            return { message, seenAt, figures in reader.take(message.record, seenAt: seenAt, into: &figures) }
        }
        follower.start()
        probe.start()
    }

    /// Ends the trips of a fleet that was to drive on, where the run ends before that.
    func abandon() {
        guard var drive else { return }
        self.drive = nil
        try? drive.endTrips(with: sender)
        try? sender.finish(within: 10)
    }

    /// Stops to follow the run.
    func end() {
        probe.stop()
        follower.stop()
    }

    /// Whether the user asked for the end of the sending.
    var isStopped: Bool { stop.isRaised }

    /// Sends a simulated fleet in real time; returns it with all it knows.
    ///
    /// `goesOn`: the fleet is to drive on after the audit, so its trips are not ended unless the user stopped the run.
    func simulate(_ options: FleetOptions, seconds: Double?, goesOn: Bool) throws -> FleetSimulation {
        var drive = try FleetDrive(drivers: options.drivers) { start in
            var configuration = try options.configuration(start: start)
            configuration.hasBriefRide = mapURL != nil
            return configuration
        }
        if let trip = drive.simulation.briefRideID { try follow(trip) }
        table.streets = FleetMap.Streets(drive.simulation.network)
        follower.withState { [drivers = drive.simulation.drivers] in $0.spoofing.expect(drivers) }
        let began = clock.now
        while !stop.isRaised {
            if let seconds, began.duration(to: clock.now) / .seconds(1) >= seconds { break }
            try drive.advance(with: sender, stop: stop) { event in
                guard case .rawRecord(let record) = event, !record.isRepeat else { return }
                follower.withState { figures in for fix in record.fixes { figures.expect(fix) } }
            }
            sender.hurry()
            try tend("\(options.drivers) simulated drivers")
            stop.wait(milliseconds: Self.roundMilliseconds)
        }
        if goesOn, !stop.isRaised {
            self.drive = drive
        } else {
            try drive.endTrips(with: sender)
        }
        return drive.simulation
    }

    /// Shows where a rider follows a trip, and has the rider's phone told of it.
    private func follow(_ trip: String) throws {
        guard let mapURL else { return }
        table.announce(rideURL: "\(mapURL)#trip=\(trip)")
        guard let pushLog else { return }
        phone = DemoPhone(trip: trip, map: try HTTPEndpoint(mapURL), log: pushLog)
    }

    /// What the phone of the rider would have shown; `nil` where no ride was followed.
    ///
    /// `ride`: as it turned out; the notifications that it has made are waited for, a moment.
    func notifications(of ride: TripTruth?) -> [DemoPhone.Notification]? {
        guard let phone, let ride else { return nil }
        let expected = DemoPhone.expected(by: ride.state)
        let deadline = clock.now + Self.notificationPatience
        while phone.shown.count < expected, clock.now < deadline, !stop.isRaised { stop.wait(milliseconds: 100) }
        return phone.shown
    }

    /// Waits until the user stops the demo.
    ///
    /// A simulated fleet drives on meanwhile. What it would have sent during the audit is left out: all at once it would
    /// be beyond the rate.
    func goOn() throws {
        guard drive != nil else {
            while !stop.isRaised { stop.wait(milliseconds: 1000) }
            return
        }
        try drive?.passOffline(with: sender, stop: stop)
        while !stop.isRaised {
            try drive?.advance(with: sender, stop: stop) { _ in }
            sender.hurry()
            try sender.poll()
            stop.wait(milliseconds: Self.roundMilliseconds)
        }
        try drive?.endTrips(with: sender)
        drive = nil
        try sender.finish(within: 60)
    }

    /// Sends a recording.
    func replay(_ file: RecordedFile, _ survey: RecordedFile.Survey, speed: ReplaySpeed, seconds: Double?) throws {
        var plan = ReplayPlan(survey: survey, speed: speed)
        plan.begin(at: Timestamp(milliseconds: WallClock.milliseconds()))
        let began = clock.now
        var sent = 0
        do {
            try file.forEach(plan.change) { record in
                while case let elapsed = began.duration(to: clock.now) / .seconds(1) {
                    if stop.isRaised || seconds.map({ elapsed >= $0 }) ?? false { throw Ended() }
                    guard let wait = plan.secondsUntil(record.at, elapsed: elapsed) else { break }
                    try tend("replaying \(file.path)")
                    stop.wait(milliseconds: Int(min(wait, 0.2) * 1000) + 1)
                }
                if let truth = record.truth { follower.withState { $0.expect(truth) } }
                try sender.sendRaw(
                    key: record.key, value: record.value, timestamp: record.at,
                    shouldGiveUp: { [stop] in stop.isRaised })
                sent += 1
                if sent % 256 == 0 { try tend("replaying \(file.path)") }
            }
        } catch is Ended {}
    }

    private struct Ended: Error {}

    /// Waits for the workers for at most so long, and compares everything that came of the run with what should have.
    func audit(waitSeconds: Double) throws -> AuditReport {
        try sender.finish(within: 60)
        try follower.checkFailure()
        let options = AuditSession.Options(since: start, waitSeconds: waitSeconds)
        let session = try AuditSession(access, options, stop: stop.next) { self.show("audit: \($0)") }
        return try session.run()
    }

    /// What was seen of the run.
    var figures: DemoFigures { follower.withState { $0 } }

    private func tend(_ phase: String) throws {
        try sender.poll()
        try follower.checkFailure()
        show(phase)
    }

    private func show(_ phase: String) { table.show(phase, workers: probe.workers, of: follower) }
}
