import ArgumentParser
import Runtime
import Support

/// `sightline replay`: sends recorded traces to the raw topic with current times.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send recorded traces or raw records to the pipeline.",
        discussion: """
            A file is CSV of traces (timestamp_ms or time, latitude, longitude and optionally trace_id, driver_id, \
            accuracy_m, speed_mps, heading_deg, altitude_m), GPX, or NDJSON of raw records, plain or gzip. Times are ISO \
            8601 with a zone, or seconds or milliseconds since 1970. Records are sent in the order of the file; \
            unreadable ones are listed and skipped.

            The pipeline detects a repeated drive as spoofing. Therefore all times are shifted so that the last fix is \
            now, every trace becomes a new session with gap-free sequence numbers, and all positions are shifted by \
            the same few metres, unless --keep-times, --keep-session or --keep-positions is given. --speed changes \
            only the speed of sending. Every trace also becomes a trip, because the rate limit then allows a fix per \
            second.

            Exit code: 1 if a file is unreadable.
            """)

    @Argument(help: "Files to send, one after the other.", completion: .file())
    var files: [String]

    @Option(help: "Speed of sending as a factor, or max.")
    var speed = ReplaySpeed.times(1)

    @Flag(help: "Repeat until Ctrl-C.")
    var loop = false

    @Option(help: "Send at most this many records of each file.")
    var limit: Int?

    @OptionGroup var kept: KeptOptions

    func validate() throws {
        if files.isEmpty { throw ValidationError("Give at least one file.") }
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if loop, kept.times { throw ValidationError("--loop needs new times in each round: omit --keep-times.") }
        if files.contains("-") { throw ValidationError("replay reads a file twice, so it cannot be standard input.") }
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
            let now = Timestamp.now
            plan.begin(at: now)
            if round == 0 { print("\(file.path): \(plan.explanation)") }
            stop.wait(milliseconds: plan.waitBeforeRoundMilliseconds(now: now))
            sent += try sender.replay(file, plan, stop: stop, poll: { try sender.poll() }) { [sent] _, number in
                progress.show { "\(file.path): \(sent + number) of \(survey.tally.read) records sent" }
            }
            round += 1
        } while loop && !stop.isRaised
        progress.clear()
        let seconds = began.duration(to: clock.now) / .seconds(1)
        print(Self.summary(file.path, survey: survey, sent: sent, rounds: round, seconds: seconds))
    }

    private static func summary(
        _ path: String, survey: RecordedFile.Survey, sent: Int, rounds: Int, seconds: Double
    ) -> String {
        let rate = seconds > 0 ? Int(Double(sent) / seconds) : sent
        var text = "\(path): \(sent) records of \(survey.traces) traces sent in \(Int(seconds.rounded())) s (\(rate)/s)"
        if rounds > 1 { text += ", \(rounds) rounds" }
        if survey.tally.leftOut > 0 { text += "; \(survey.tally.leftOut) skipped" }
        return text
    }
}

/// Options that keep parts of a recording unchanged.
struct KeptOptions: ParsableArguments {
    @Flag(
        name: .customLong("keep-times"),
        help: "Keep the times. A topic with a retention time may delete old records at once.")
    var times = false

    @Flag(
        name: .customLong("keep-session"),
        help: "Keep session and message ids. The pipeline drops repeated messages.")
    var session = false

    @Flag(
        name: .customLong("keep-positions"),
        help: "Keep the positions. The pipeline rejects a repeated track.")
    var positions = false

    var kept: ReplayPlan.Kept { ReplayPlan.Kept(times: times, session: session, positions: positions) }
}
