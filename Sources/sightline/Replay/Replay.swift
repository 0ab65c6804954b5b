import ArgumentParser
import Runtime
import Support

/// `sightline replay`: sends recorded traces to the raw topic as if they happened now.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send recorded traces or raw records to the pipeline once more.",
        discussion: """
            A file is CSV of traces (timestamp_ms or time, latitude, longitude and, where known, trace_id, driver_id, \
            accuracy_m, speed_mps, heading_deg, altitude_m), GPX, or NDJSON of raw records, each plain or gzip. Times \
            are ISO 8601 with a zone, or seconds or milliseconds since 1970. Records are sent in the order of the file; \
            those that cannot be read are listed and left out.

            A driver who sends the same drive twice is what the pipeline looks for as a forger. Therefore all times are \
            shifted so that the last fix is now, every trace is a new session with gap-free sequence numbers, and all \
            positions are moved by the same few metres; --keep-times, --keep-session and --keep-positions leave them. \
            Only the sending is faster or slower. Every trace is a trip, so that one fix per second is allowed.

            Exit code: 1 when nothing of a file can be read.
            """)

    @Argument(help: "Files to send, one after the other.", completion: .file())
    var files: [String]

    @Option(help: "How many times faster than recorded, or max.")
    var speed = ReplaySpeed.times(1)

    @Flag(help: "Begin again at the end, until Ctrl-C.")
    var loop = false

    @Option(help: "Send at most this many records of each file.")
    var limit: Int?

    @OptionGroup var kept: KeptOptions

    func validate() throws {
        if files.isEmpty { throw ValidationError("Name at least one file.") }
        if let limit, limit < 1 { throw ValidationError("--limit \(limit) is not allowed; expected at least 1.") }
        if loop, kept.times { throw ValidationError("--loop sends new times each round: omit --keep-times.") }
        if files.contains("-") { throw ValidationError("A replay reads a file twice, so it cannot be standard input.") }
    }

    func run() throws {
        let access = try PipelineAccess()
        _ = try access.partitionCount(of: [.rawLocations])
        let sender = try RecordSender(access)
        let stop = StopSignal()
        for path in files where !stop.isRaised {
            try replay(RecordedFile(path: path, limit: limit), with: sender, until: stop)
        }
        try sender.finish(within: 60)
    }

    private func replay(_ file: RecordedFile, with sender: RecordSender, until stop: StopSignal) throws {
        var progress = ProgressLine()
        progress.show { "Reading \(file.path) …" }
        let survey = try file.survey()
        progress.clear()
        StandardError.write(survey.tally.lines(of: file.path).map { "\($0)\n" }.joined())
        var plan = ReplayPlan(survey: survey, speed: speed, keeping: kept.kept)
        var round = 0
        var sent = 0
        let clock = ContinuousClock()
        let began = clock.now
        repeat {
            let now = Timestamp(milliseconds: WallClock.milliseconds())
            plan.begin(at: now)
            if round == 0 { print("\(file.path): \(plan.explanation)") }
            stop.wait(milliseconds: plan.waitBeforeRoundMilliseconds(now: now))
            let roundBegan = clock.now
            do {
                try file.forEach(plan.change) { record in
                    try pace(record, plan: plan, since: roundBegan, sender: sender, stop: stop)
                    guard !stop.isRaised else { throw Stopped() }
                    guard
                        try sender.sendRaw(
                            key: record.key, value: record.value, timestamp: record.at,
                            shouldGiveUp: { stop.isRaised })
                    else { throw Stopped() }
                    sent += 1
                    if sent % 256 == 0 { try sender.poll() }
                    progress.show { "\(file.path): \(sent) of \(survey.tally.read) records sent" }
                }
            } catch is Stopped {}
            round += 1
        } while loop && !stop.isRaised
        progress.clear()
        let seconds = began.duration(to: clock.now) / .seconds(1)
        print(Self.summary(file.path, survey: survey, sent: sent, rounds: round, seconds: seconds))
    }

    /// Waits until a record is due, serving delivery reports meanwhile.
    private func pace(
        _ record: RecordedFile.Record, plan: ReplayPlan, since began: ContinuousClock.Instant, sender: RecordSender,
        stop: StopSignal
    ) throws {
        let clock = ContinuousClock()
        while !stop.isRaised,
            let due = plan.secondsUntil(record.at, elapsed: began.duration(to: clock.now) / .seconds(1))
        {
            try sender.poll()
            stop.wait(milliseconds: Int(min(due, 0.5) * 1000) + 1)
        }
    }

    private struct Stopped: Error {}

    private static func summary(
        _ path: String, survey: RecordedFile.Survey, sent: Int, rounds: Int, seconds: Double
    ) -> String {
        let rate = seconds > 0 ? Int(Double(sent) / seconds) : sent
        var text = "\(path): \(sent) records of \(survey.traces) traces sent in \(Int(seconds.rounded())) s (\(rate)/s)"
        if rounds > 1 { text += ", \(rounds) rounds" }
        if survey.tally.leftOut > 0 { text += "; \(survey.tally.leftOut) were left out" }
        return text
    }
}
