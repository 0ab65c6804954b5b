import ArgumentParser
import Recordings

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

    @Option(
        help: "Stop passages (trip_id, stop_sequence, observed_passage_ms) to compare with the derived ones.",
        completion: .file())
    var passages: [String] = []

    @OptionGroup var output: ReportOptions

    func run() throws {
        var evaluation = ArrivalEvaluation()
        evaluation.half = half
        let recordings = try files.map { file in
            let recording = try ArrivalEvaluation.Recording.read(path: file, feeds: gtfs)
            EvaluateCommand.log((recording.log.tally.lines(of: file) + recording.notes).joined(separator: "\n"))
            return recording
        }
        var report = evaluation.report(on: recordings)
        if !passages.isEmpty { report.compare(try ObservedPassages.read(paths: passages), in: recordings) }
        try output.write(report)
    }
}

extension EvaluationHalf: ExpressibleByArgument {}
