import ArgumentParser
import Runtime

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Compare the topics and stores with the raw topic processed again.",
        discussion: """
            Waits until each worker has processed its input, reads all topics up to their current ends, and processes \
            the raw records again with the code of the workers and the settings of this environment (use the same \
            settings as for the workers). The checks:

              verdicts, dead-letters, warnings: equal, byte for byte, to the raw topic processed again: key, value, time \
            and state header; one outcome per fix, in the order of the raw offsets.
              rider-updates: equal, byte for byte, to trip.etas processed again.
              etas: each record comes from a punctuation, a trip message, or a verdict of the trip's driver with a \
            position and without a flag. Between two records of a trip without a trip message in between, no such \
            verdict is skipped. The values are not computed again, because they depend on how locations and trip \
            messages were interleaved.
              rider-sources: each rider update comes from a punctuation, a trip message, or such a verdict.
              history: one row per verdict with equal columns. With HISTORY_MIN_INTERVAL_MS or \
            HISTORY_MIN_DISTANCE_METERS, verdicts with a position may have no row.
              history-smoothed: equal to the verdicts smoothed again with later fixes; no row for a fix without later ones. \
            If smoothing was enabled later, earlier fixes have no rows.
              history-warnings, history-trips: one row per warning, and per change of a trip.
              redis, redis-trips: the last position of each driver, the last update of each trip and, from every \
            partition, of each route; no driver without a position. A key may be missing once its lifetime (24 h, less 10 \
            min) has passed. After a change of the partition count, a driver may be in another partition with a later \
            position.

            A worker that was paused may append records again when it resumes; all readers drop records that do not advance \
            the watermark of the partition. Such repetitions are counted. They are differences only with --no-repeats, or \
            if their bytes differ (contradicted). A record after its successors is out of order: readers drop it, so it is \
            lost. If retention has deleted the start of a partition, the first minutes that remain restore the state.

            Under live traffic the audit covers the records that existed when it started to read. Stores are read \
            after the topics, so drivers and trips in Redis may be newer, and the history may have more rows: both \
            count as too new.

            After `sightline topics recreate` the stores contain rows and drivers of the old topics; these are counted and \
            not compared.

            The required rights in Kafka, Redis and Postgres are listed in docs/security.md: Read on eight topics, Describe \
            on the groups of the three processors, the user of deploy/redis/audit.acl, and the role sightline_reader.

            Ctrl-C or SIGTERM stops the audit with exit code 2.

            Exit code: 0 without differences, 1 with differences, 2 if the audit failed.
            """)

    @Option(
        help: ArgumentHelp("Only these partitions, such as 0,3.", valueName: "numbers"),
        transform: Self.partitions)
    var partitions: [Int32]?

    @Option(
        help: ArgumentHelp(
            "Maximum wait for the workers in seconds.",
            discussion: "A slower worker is a difference; results that it has not written are counted as too new."))
    var wait = 30.0

    @Flag(help: "Do not check Redis.")
    var noRedis = false

    @Flag(help: "Do not check Postgres.")
    var noHistory = false

    @Flag(help: "Count repeated records as differences; use it only if no worker was paused.")
    var noRepeats = false

    @Option(help: "Maximum number of differences to print per check.")
    var examples = 10

    @Option(help: "Also write the report to this file, as JSON.", completion: .file())
    var json: String?

    func validate() throws {
        if wait < 0 { throw ValidationError("--wait must be at least 0.") }
        if examples < 0 { throw ValidationError("--examples must be at least 0.") }
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
            throw ValidationError("--partitions must be numbers from 0, such as 0,3.")
        }
        return Array(Set(numbers.compactMap { $0 })).sorted()
    }

    private func audit() throws -> AuditReport {
        var progress = ProgressLine()
        defer { progress.clear() }
        let show = { (text: String) in progress.show { text } }
        let options = AuditSession.Options(
            partitions: partitions, waitSeconds: wait, hasHistory: !noHistory, hasRedis: !noRedis,
            countsRepeats: noRepeats, examples: examples)
        return try AuditSession(PipelineAccess(), options, show: show).run()
    }
}
