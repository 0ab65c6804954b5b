import ArgumentParser
import Recordings
import Runtime

/// `sightline process`: the workers' code and settings over files, without Kafka.
struct ProcessFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "process",
        abstract: "Run the whole pipeline over files, without Kafka: judge and smooth locations, and follow trips.",
        discussion: """
            The same code and settings as location-worker, eta-worker and broadcast-worker, as one partition. The input \
            is NDJSON of raw records, GPX, or CSV of traces (timestamp_ms or time, latitude, longitude and, where known, \
            trace_id, driver_id, accuracy_m, speed_mps, heading_deg, altitude_m), plain or gzip (gzip from a file only); \
            times of traces are ISO 8601 with a zone, or seconds or milliseconds since 1970. The output is one verdict \
            per line. A record without a receipt time was received at its device time, and event ids count the input's \
            records: 0-0, 0-1, …

            What cannot be read is listed on standard error by line, column and reason. Where the input has \
            true_latitude and true_longitude, the errors of raw and smoothed positions are told; where trips arrive, \
            those of the arrival times.

            With --trips it also writes what comes of the trips: --etas is trip.etas, --updates is rider.updates, one \
            record per line. The same files give the same bytes. Time ends with the last record: what riders are told \
            of a silence after it is not written.

            Exit code: 1 when nothing of the input can be read.
            """)

    @Option(help: "File to read; - is standard input.", completion: .file())
    var input = "-"

    @Option(help: "File for the verdicts; - is standard output.", completion: .file())
    var output = "-"

    @Option(
        help: "NDJSON of trip messages, taken in at their changed_at; needs --etas or --updates.", completion: .file())
    var trips: String?

    @Option(help: "File for the arrival times of those trips.", completion: .file())
    var etas: String?

    @Option(help: "File for what the riders of those trips are told.", completion: .file())
    var updates: String?

    @Option(help: "File for the warnings about drivers.", completion: .file())
    var warnings: String?

    @Option(help: "File for the records that cannot be read; without it they are only counted.", completion: .file())
    var deadLetters: String?

    @Flag(help: "Judge every fix, however many a driver sends.")
    var noRateLimit = false

    func validate() throws {
        if trips == nil, let option = etas != nil ? "--etas" : updates != nil ? "--updates" : nil {
            throw ValidationError("\(option) is about trips: name the file of trip messages with --trips.")
        }
        if trips != nil, etas == nil, updates == nil {
            throw ValidationError("Nothing is written of --trips: name a file with --etas, --updates or both.")
        }
        if trips == "-", input == "-" {
            throw ValidationError("Only one of --input and --trips can be standard input: name a file for the other.")
        }
        var files: Set<String> = []
        for path in [output, etas, updates, warnings, deadLetters].compactMap({ $0 }) where path != "/dev/null" {
            guard !files.insert(path).inserted else { continue }
            let place = path == "-" ? "standard output" : path
            throw ValidationError("Two outputs go to \(place): name a file of its own for each.")
        }
    }

    func run() throws {
        let settings = try Settings(for: .commandLine)
        var tracking = settings.tracking
        if noRateLimit { tracking.rate.isLimited = false }
        let pipeline = OfflinePipeline(
            tracking: tracking, arrival: settings.arrival, broadcast: settings.broadcast, hasTrips: trips != nil)
        let outputs = try OfflineOutputs(
            verdicts: output, etas: etas, updates: updates, warnings: warnings, deadLetters: deadLetters)
        var timeline = try TripTimeline(path: trips)
        var progress = ProgressLine()
        var tally = try RecordedFile(path: input).forEach { record in
            while let trip = timeline.next(upTo: record.at) { try pipeline.takeTrip(trip, into: outputs) }
            try pipeline.take(record, into: outputs)
            progress.show { "\(pipeline.records) records judged" }
        }
        while let trip = timeline.next(upTo: nil) { try pipeline.takeTrip(trip, into: outputs) }
        progress.clear()
        try outputs.close()
        tally.takeBack(pipeline.refused)
        let lines = [pipeline.summary] + pipeline.figures + tally.lines(of: input == "-" ? "standard input" : input)
        StandardError.write(lines.map { "\($0)\n" }.joined())
        guard tally.read > 0 else {
            throw InputError("\(input): nothing of it could be read; the lines above say what was wrong.")
        }
    }
}
