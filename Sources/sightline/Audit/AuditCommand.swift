import ArgumentParser
import Foundation
import Runtime

/// `sightline audit`: proves that nothing was lost, doubled or changed, from the raw topic to the stores.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Compare everything that the pipeline wrote with what it should have written.",
        discussion: """
            Waits until the workers have come to where their input ended when the audit began, then reads all topics \
            up to the ends that they have by then, and judges the raw records again, with the workers' code and the \
            settings of this environment (set the same as for the workers). What is compared, and by which rule:

              verdicts, dead-letters, warnings: byte for byte with the raw topic judged again: key, value, time and \
            state header; one outcome for each fix, in the order of the raw offsets.
              rider-updates: byte for byte with trip.etas broadcast again.
              etas: by their source: a verdict of the driver that has a position and is not flagged, a punctuation, or a trip message; \
            and between two records of a trip no such verdict of its driver is left out. Their figures are not computed again: those depend on how locations and trips came between one another, \
            which no topic tells.
              rider-sources: as etas, for rider.updates.
              history: one row for each verdict, every column equal. With HISTORY_MIN_INTERVAL_MS or \
            HISTORY_MIN_DISTANCE_METERS verdicts with a position may have none.
              history-smoothed: the verdicts smoothed with later ones again; every column equal, and no row of a fix \
            that no later one has followed. Rows may begin later than the topic, where smoothing began later.
              history-warnings, history-trips: one row for each warning, and for each change of a trip.
              redis, redis-trips: the last judged position of each driver, the last update of each trip and, of \
            each route, from every partition, and no driver without a judged position. A key may be gone once its lifetime \
            (24 h, less 10 min) has passed since the record was received. A driver may be in another partition with a \
            later position, where the topics' partitions were changed.

            A worker that was paused may append records again once it wakes; every reader drops a record whose event \
            does not come after the partition's last one. Such a repetition is counted, and a difference only with \
            --no-repeats, or as contradicted if its bytes differ from those of the record before. A record that comes \
            after its successors is out of order: readers drop it, so it is lost. Where retention has deleted a partition's beginning, the first minutes of what is left stand for it.

            Under live traffic the audit ends all the same, and speaks of what was there when it began to read. What \
            came from later raw records or trip messages is let pass, and counted as too new where that can be told: \
            stores are read after the topics and hold later data, so that a driver or trip in Redis may be further on \
            than the topics read, and the history may have further rows.

            After `sightline topics recreate` the stores hold rows and drivers of the topics before. What is older than the \
            records is let pass, and counted.

            With --received, what clients of rider-gateway received is compared with rider.updates, and nothing else \
            unless --all is given. Each file is the log of one client, as Examples/follow.py --log writes it: every \
            message as it came, one JSON object per line, and a line {"type":"connected"} before each connection's first. \
            In each channel, the cursor of the first subscribed or state_sync says what the client has. From there on it \
            has to receive every record of the channel once, byte for byte and in the order of its partition, over all \
            connections, by itself or in missed_events. A later state in full (replay_from null with a snapshot, or \
            full_refresh true) stands for the records up to its cursor that the client had not come to; how often that \
            was is reported. Records after the last one that a client received are counted and not missing, as it \
            may have ended before them. Reads rider.updates alone; needs neither Redis nor Postgres, and waits for no \
            worker.

              sightline audit --received client.log.1 client.log.2

            What it needs of Kafka, Redis and Postgres is listed in docs/security.md: Read on eight topics, Describe on \
            the groups of the three stages, the user of deploy/redis/audit.acl, and the role sightline_reader.

            Ctrl-C or SIGTERM stop it, with exit code 2.

            Exit code: 0 when there is no difference, 1 when there is, 2 when the audit could not be made.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Compare what clients received, a log of each, with rider.updates.", valueName: "file"),
        completion: .file())
    var received: [String] = []

    @Flag(help: "With --received, audit everything else as well.")
    var all = false

    @Flag(
        help: ArgumentHelp(
            "With --received, let pass positions (driver_location) that a client did not receive.",
            discussion: "A gateway leaves them out for a client that takes its messages too slowly."))
    var allowCoalescedPositions = false

    @Option(
        help: ArgumentHelp("Audit these partitions only.", discussion: "Such as 0,3.", valueName: "numbers"),
        transform: Self.partitions)
    var partitions: [Int32]?

    @Option(
        help: ArgumentHelp(
            "How many seconds the workers may take to come to where their input ended when the audit began.",
            discussion: "A worker that has not by then is a difference; what it has not done yet is too new."))
    var wait = 30.0

    @Flag(help: "Do not look at Redis.")
    var noRedis = false

    @Flag(help: "Do not look at Postgres.")
    var noHistory = false

    @Flag(help: "Count a record that stands on its topic again as a difference: right where no worker was paused.")
    var noRepeats = false

    @Option(help: "How many differences of each comparison are shown.")
    var examples = 10

    @Option(help: "Write the report here as well, as JSON.", completion: .file())
    var json: String?

    func validate() throws {
        if wait < 0 { throw ValidationError("--wait is a time, or 0.") }
        if examples < 0 { throw ValidationError("--examples is a number, or 0.") }
        if received.isEmpty {
            for (option, isGiven) in [("--all", all), ("--allow-coalesced-positions", allowCoalescedPositions)]
            where isGiven {
                throw ValidationError("\(option) is about what clients received: give their logs with --received.")
            }
        } else if !all {
            for (option, isGiven) in [
                ("--no-redis", noRedis), ("--no-history", noHistory), ("--no-repeats", noRepeats),
            ] where isGiven {
                throw ValidationError(
                    "\(option) is about the rest of the pipeline, which --received audits only together with --all.")
            }
        }
    }

    func run() throws {
        let report: AuditReport
        do {
            report = try audit()
            print(report.text)
            if let json { try ReportFile.write(ReportFile.json(report), to: json) }
        } catch {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
        if report.differences > 0 { throw ExitCode(1) }
    }

    private static func partitions(_ text: String) throws -> [Int32] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int32($0) }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else {
            throw ValidationError("--partitions are numbers from 0, such as 0,3.")
        }
        return Array(Set(numbers.compactMap { $0 })).sorted()
    }

    private func audit() throws -> AuditReport {
        var progress = ProgressLine()
        defer { progress.clear() }
        let show = { (text: String) in progress.show { text } }
        let access = try PipelineAccess()
        guard !received.isEmpty else { return try auditPipeline(access, show) }
        // First: a log that cannot be read is found before the rest, which takes longer.
        let options = ReceivedSession.Options(
            files: received, partitions: partitions, allowsCoalescedPositions: allowCoalescedPositions,
            examples: examples)
        let clients = try ReceivedSession(access, options, show: show).run()
        guard all else { return clients }
        var report = try auditPipeline(access, show)
        report.add(clients)
        return report
    }

    private func auditPipeline(_ access: PipelineAccess, _ show: @escaping (String) -> Void) throws -> AuditReport {
        let options = AuditSession.Options(
            partitions: partitions, waitSeconds: wait, hasHistory: !noHistory, hasRedis: !noRedis,
            countsRepeats: noRepeats, examples: examples)
        return try AuditSession(access, options, show: show).run()
    }
}
