import ArgumentParser
import Observability
import Settings

/// `sightline process`: the workers' code and settings over files, without Kafka.
struct ProcessFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "process", abstract: "Judge and smooth a file of raw locations, without Kafka.",
        discussion: """
            The same code and settings as location-worker and eta-worker. The input is NDJSON of raw records or CSV of \
            traces, plain or gzip (gzip from a file only); the output is one verdict per line. A record without a receipt \
            time was received at its device time, and event ids count the input's records: 0-0, 0-1, …
            """)

    @Option(help: "File to read; - is standard input.", completion: .file())
    var input = "-"

    @Option(help: "File for the verdicts; - is standard output.", completion: .file())
    var output = "-"

    @Option(help: "NDJSON of trip messages, taken in at their changed_at; needs --etas.", completion: .file())
    var trips: String?

    @Option(help: "File for the arrival times of those trips.", completion: .file())
    var etas: String?

    @Option(help: "File for the warnings about drivers.", completion: .file())
    var warnings: String?

    @Option(help: "File for the records that cannot be read; without it they are only counted.", completion: .file())
    var deadLetters: String?

    @Flag(help: "Judge every fix, however many a driver sends.")
    var noRateLimit = false

    func validate() throws {
        if (trips == nil) != (etas == nil) { throw ValidationError("--trips and --etas go together.") }
    }

    func run() throws {
        let settings = try Settings(for: .commandLine)
        var tracking = settings.tracking
        if noRateLimit { tracking.rate.isLimited = false }
        let pipeline = OfflinePipeline(tracking: tracking, arrival: settings.arrival, hasTrips: trips != nil)
        let outputs = try OfflineOutputs(verdicts: output, etas: etas, warnings: warnings, deadLetters: deadLetters)
        var timeline = try TripTimeline(path: trips)
        var progress = ProgressLine()
        try RecordedFile(path: input).forEach(shiftMilliseconds: 0) { record in
            while let trip = timeline.next(upTo: record.at) { try pipeline.takeTrip(trip, into: outputs) }
            try pipeline.take(record, into: outputs)
            progress.show { "\(pipeline.records) records judged" }
        }
        while let trip = timeline.next(upTo: nil) { try pipeline.takeTrip(trip, into: outputs) }
        progress.clear()
        try outputs.close()
        StandardError.write("\(pipeline.summary)\n")
    }
}
