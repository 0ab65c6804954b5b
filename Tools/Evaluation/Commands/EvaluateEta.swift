import ArgumentParser
import Recordings

/// `sightline evaluate eta`: predicted arrivals of recorded trips against the real ones.
struct EvaluateEta: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta", abstract: "Measure arrival times on recorded trips.",
        discussion: """
            A FILE is a recording of traces or a log of vehicle positions (vehicle_id, trip_id, …), told apart by its \
            header. Trips that a GTFS feed knows are runs of its timetable; all others are rides along the track that \
            was driven, planned at the mean speed of trips of the other half.
            """)

    @Argument(help: "Recordings: CSV or GPX, plain or gzip.", completion: .file())
    var files: [String]

    @Option(help: "A GTFS static feed, zip or folder, for logs that name its trips; may be repeated.")
    var gtfs: [String] = []

    @Option(help: "Measure the trips that constants were fitted on, those kept for checking, or all.")
    var half = EvaluationHalf.all

    @Option(
        help: "Stop passages (trip_id, stop_sequence, observed_passage_ms) to compare the derived ones with.",
        completion: .file())
    var passages: [String] = []

    @OptionGroup var output: ReportOptions

    func run() throws {
        var evaluation = ArrivalEvaluation()
        evaluation.half = half
        let recordings = try files.map { file in
            let recording = try ArrivalEvaluation.Recording.read(path: file, feeds: gtfs)
            EvaluateSpoofing.report(
                (recording.log.tally.lines(of: file) + recording.notes).joined(separator: "\n"))
            return recording
        }
        var report = evaluation.report(on: recordings)
        if !passages.isEmpty { report.compare(try ObservedPassages.read(paths: passages), in: recordings) }
        try output.deliver(report)
    }
}

extension EvaluationHalf: ExpressibleByArgument {}
