import ArgumentParser
import Recordings
import Runtime

/// `sightline process`: runs the code of the workers over files, without Kafka.
struct ProcessFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "process",
        abstract: "Run the pipeline over files, without Kafka.",
        discussion: """
            Uses the code and settings of location-worker, eta-worker and broadcast-worker, with one partition. The input \
            is NDJSON of raw records, GPX, or CSV of traces (timestamp_ms or time, latitude, longitude and optionally \
            trace_id, driver_id, accuracy_m, speed_mps, heading_deg, altitude_m), plain or gzip (gzip only from a file). \
            Times of traces are ISO 8601 with a zone, or seconds or milliseconds since 1970. The output is one verdict \
            per line. The receipt time of a record is its device time, and event ids count the records: 0-0, 0-1, …

            Unreadable records are listed on standard error by line, column and reason. If the input has true_latitude \
            and true_longitude, the errors of raw and smoothed positions are printed; if --trips contains arrivals, \
            also the errors of the predicted arrival times.

            With --trips it also writes --etas (trip.etas) and --updates (rider.updates), one record per line. The same \
            files give the same bytes. The run ends with the last record, without updates for a silence after it.

            Exit code: 1 if the input is unreadable.
            """)

    @Option(help: "Input file; - is standard input.", completion: .file())
    var input = "-"

    @Option(help: "File for verdicts; - is standard output.", completion: .file())
    var output = "-"

    @Option(
        help: "NDJSON of trip messages, processed at their changed_at; needs --etas or --updates.", completion: .file())
    var trips: String?

    @Option(help: "File for the arrival times of the trips.", completion: .file())
    var etas: String?

    @Option(help: "File for the rider updates of the trips.", completion: .file())
    var updates: String?

    @Option(help: "File for warnings about drivers.", completion: .file())
    var warnings: String?

    @Option(help: "File for unreadable records; without it they are only counted.", completion: .file())
    var deadLetters: String?

    @Flag(help: "Disable the rate limit per driver.")
    var noRateLimit = false

    func validate() throws {
        if trips == nil, let option = etas != nil ? "--etas" : updates != nil ? "--updates" : nil {
            throw ValidationError("\(option) needs --trips with a file of trip messages.")
        }
        if trips != nil, etas == nil, updates == nil {
            throw ValidationError("--trips needs --etas, --updates or both.")
        }
        if trips == "-", input == "-" {
            throw ValidationError("Only one of --input and --trips can be standard input.")
        }
        var files: Set<String> = []
        for path in [output, etas, updates, warnings, deadLetters].compactMap({ $0 }) where path != "/dev/null" {
            guard !files.insert(path).inserted else { continue }
            let name = path == "-" ? "standard output" : path
            throw ValidationError("Two outputs go to \(name): use a separate file for each.")
        }
    }

    func run() throws {
        let settings = try Settings(for: .commandLine)
        var tracking = settings.tracking
        if noRateLimit { tracking.rate.isLimited = false }
        let pipeline = OfflinePipeline(
            tracking: tracking, arrival: settings.arrival, broadcast: settings.broadcast, hasTrips: trips != nil)
        let paths: [OfflineOutput: String?] = [
            .verdicts: output, .etas: etas, .updates: updates, .warnings: warnings, .deadLetters: deadLetters,
        ]
        let outputs: OfflineOutputs = try paths.compactMapValues { try $0.map { try TextOutput(path: $0) } }
        var timeline = try TripTimeline(path: trips)
        var progress = ProgressLine()
        var tally = try RecordedFile(path: input).forEach { record in
            while let trip = timeline.next(upTo: record.at) { try pipeline.processTrip(trip, into: outputs) }
            try pipeline.process(record, into: outputs)
            progress.show { "\(pipeline.records) records processed" }
        }
        while let trip = timeline.next(upTo: nil) { try pipeline.processTrip(trip, into: outputs) }
        progress.clear()
        // Standard output last, because its reader may have closed it.
        for file in outputs.values.sorted(by: { !$0.isStandardOutput && $1.isStandardOutput }) { try file.flush() }
        tally.reclassifyAsSkipped(pipeline.unreadable)
        let lines = [pipeline.summary] + pipeline.figures + tally.lines(of: input == "-" ? "standard input" : input)
        StandardError.write(lines.map { "\($0)\n" }.joined())
        guard tally.read > 0 else {
            throw InputError("\(input): no record is readable; the lines above list the reasons.")
        }
    }
}
