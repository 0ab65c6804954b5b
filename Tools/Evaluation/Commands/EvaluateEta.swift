import ArgumentParser

/// `sightline evaluate eta`: compares predicted with recorded arrivals.
struct EvaluateEta: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta", abstract: "Measure arrival times on recorded trips.",
        discussion: """
            A FILE is a recording of traces or a log of vehicle positions (vehicle_id, trip_id, …); its header decides. \
            Trips in a GTFS feed are evaluated as timetable runs. All others are evaluated as rides along the driven \
            track, planned with the mean speed of trips in the other half.
            """)

    @Argument(help: "Recordings: CSV or GPX, plain or gzip.", completion: .file())
    var files: [String]

    @Option(help: "GTFS static feed, zip or folder, for logs with trip ids (repeatable).")
    var gtfs: [String] = []

    @Option(help: "Trips to evaluate: fit (constants were fitted on them), check (all others) or all.")
    var half = EvaluationHalf.all

    @OptionGroup var output: ReportOptions

    func run() throws {
        let recordings = try files.map { file in
            let recording = try ArrivalEvaluation.Recording.read(path: file, feeds: gtfs)
            EvaluateCommand.log((recording.log.tally.lines(of: file) + recording.notes).joined(separator: "\n"))
            return recording
        }
        try output.write(ArrivalEvaluation(half: half).report(on: recordings))
    }
}

extension EvaluationHalf: ExpressibleByArgument {}
