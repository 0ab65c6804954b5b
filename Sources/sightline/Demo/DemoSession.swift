import Runtime
import Simulation
import Support

/// One run of the demo, which sends records, shows the progress, and audits the result.
///
/// Use on one thread only.
final class DemoSession {
    private let access: PipelineAccess
    /// End offsets of the topics before the run.
    private let start: TopicOffsets
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
    /// Maximum wait for notifications; the audit does not wait for push-worker.
    private static let notificationPatience = Duration.seconds(15)
    /// Interval between two rounds of the simulated fleet, in milliseconds.
    ///
    /// A round becomes one batch per partition, here and in every worker. For each fetch, the local broker lists all
    /// batches of a partition; with a batch per location, it would be slow after some minutes.
    private static let roundMilliseconds = 1000

    /// Connects to the broker and the stores, finds the ends of the topics, and follows them from there.
    ///
    /// `mapURL`: the live map; `nil` without a gateway. `pushLog`: the log of push-worker; `nil` if it does not run.
    /// - Throws: ``InputError`` if topics are missing, and errors of the broker and the stores.
    init(
        _ access: PipelineAccess, metricsURLs: [String], mapURL: String? = nil, pushLog: String? = nil, isLive: Bool,
        terminal: Terminal
    ) throws {
        self.access = access
        self.mapURL = mapURL
        self.pushLog = pushLog
        probe = try MetricsProbe(urls: metricsURLs)
        _ = try AuditSession(access, AuditSession.Options(waitSeconds: 0), stop: stop) { _ in }
        let count = try access.partitionCount(of: AuditSession.topics)
        start = try TopicEnds(access, partitions: Array(0..<Int32(count))).findAll()
        sender = try RecordSender(access)
        table = DemoTable(isLive: isLive, mapURL: mapURL, terminal: terminal)
        let topics = DemoReader.topics
        follower = TopicFollower(
            access.kafka, topics: topics.map { access.name(of: $0) }, from: start.positions(of: topics, access),
            into: DemoFigures()
        ) {
            let reader = DemoReader()
            return { message, seenAt, figures in reader.add(message.record, seenAt: seenAt, to: &figures) }
        }
        follower.start()
        probe.start()
    }

    /// Ends the trips that ``simulate(_:seconds:continues:)`` left open, if ``keepRunning()`` has not ended them.
    func abandon() {
        guard var drive else { return }
        self.drive = nil
        try? drive.endTrips(with: sender)
        try? sender.finish(within: 10)
    }

    /// Stops the threads that follow the run.
    func end() {
        probe.stop()
        follower.stop()
    }

    /// Whether the user has stopped the run.
    var isStopped: Bool { stop.isRaised }

    /// Sends a simulated fleet in real time; returns the simulation with its truth.
    ///
    /// `continues`: whether to leave the trips open for ``keepRunning()`` if the user has not stopped the run.
    func simulate(_ options: FleetOptions, seconds: Double?, continues: Bool) throws -> FleetSimulation {
        var drive = try FleetDrive(drivers: options.drivers) { start in
            var configuration = try options.configuration(start: start)
            configuration.includesShortRide = mapURL != nil
            return configuration
        }
        if let trip = drive.simulation.shortRideID { try follow(trip) }
        follower.withState { [drivers = drive.simulation.drivers] in $0.spoofing.expect(drivers) }
        let began = clock.now
        while !stop.isRaised {
            if let seconds, began.duration(to: clock.now) / .seconds(1) >= seconds { break }
            try drive.advance(with: sender, stop: stop) { event in
                guard case .rawRecord(let record) = event, !record.isRepeat else { return }
                follower.withState { figures in for fix in record.fixes { figures.expect(fix) } }
            }
            sender.requestFlush()
            try update("\(options.drivers) simulated drivers")
            stop.wait(milliseconds: Self.roundMilliseconds)
        }
        if continues, !stop.isRaised {
            self.drive = drive
        } else {
            try drive.endTrips(with: sender)
        }
        return drive.simulation
    }

    /// Shows the link to a trip, and registers a phone for its notifications.
    private func follow(_ trip: String) throws {
        guard let mapURL else { return }
        table.announce(rideURL: "\(mapURL)#trip=\(trip)")
        guard let pushLog else { return }
        phone = DemoPhone(trip: trip, map: try HTTPEndpoint(mapURL), log: pushLog)
    }

    /// Waits for the notifications of the ride with a link, and returns them; `nil` without such a ride.
    func notifications(of ride: TripGroundTruth?) -> [DemoPhone.Notification]? {
        guard let phone, let ride else { return nil }
        let expected = DemoPhone.expected(by: ride.state)
        let deadline = clock.now + Self.notificationPatience
        while phone.shown.count < expected, clock.now < deadline, !stop.isRaised { stop.wait(milliseconds: 100) }
        return phone.shown
    }

    /// Runs the simulated fleet, if any, until the user stops the demo.
    ///
    /// Skips the locations that were due during the audit, because sent together they would exceed the rate limit.
    func keepRunning() throws {
        guard drive != nil else {
            while !stop.isRaised { stop.wait(milliseconds: 1000) }
            return
        }
        try drive?.advance(with: sender, stop: stop, isOffline: true)
        while !stop.isRaised {
            try drive?.advance(with: sender, stop: stop)
            sender.requestFlush()
            try sender.poll()
            stop.wait(milliseconds: Self.roundMilliseconds)
        }
        try drive?.endTrips(with: sender)
        drive = nil
        try sender.finish(within: 60)
    }

    func replay(_ file: RecordedFile, _ survey: RecordedFile.Survey, speed: ReplaySpeed, seconds: Double?) throws {
        var plan = ReplayPlan(survey: survey, speed: speed)
        plan.begin(at: Timestamp.now)
        let phase = "replaying \(file.path)"
        try sender.replay(file, plan, seconds: seconds, stop: stop, poll: { try update(phase) }) { record, _ in
            if let truth = record.truth { follower.withState { $0.expect(truth) } }
        }
    }

    /// Waits for the workers up to `waitSeconds`, and audits the run.
    func audit(waitSeconds: Double) throws -> AuditReport {
        try sender.finish(within: 60)
        try follower.checkFailure()
        let options = AuditSession.Options(since: start, waitSeconds: waitSeconds)
        let session = try AuditSession(access, options, stop: stop.next) { self.show("audit: \($0)") }
        return try session.run()
    }

    var figures: DemoFigures { follower.withState { $0 } }

    private func update(_ phase: String) throws {
        try sender.poll()
        try follower.checkFailure()
        show(phase)
    }

    private func show(_ phase: String) { table.show(phase, workers: probe.workers, of: follower) }
}
