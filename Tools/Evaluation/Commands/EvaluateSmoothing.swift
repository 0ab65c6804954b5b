import ArgumentParser
import Recordings

/// `sightline evaluate smoothing`: compares smoothed and raw positions with a reference.
struct EvaluateSmoothing: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "smoothing", abstract: "Measure raw and smoothed positions against a reference.",
        discussion: """
            Reports for each recording: the errors, the share of errors within the stated accuracy, and the path of \
            the position while the vehicle stands. A fix without an estimate is scored with the last estimate, which \
            riders still see.
            """)

    @Argument(help: "Recordings, plain or gzip; - is standard input.", completion: .file())
    var files: [String] = []

    @Flag(help: "Compare with simple filters: averaging, constant velocity, constant velocity with reported speed.")
    var baseline = false

    @Flag(help: "Also measure on simulated drives.")
    var simulate = false

    @Option(
        help: "Road lines by trace (trace_id,wkt), to measure the distance from the driven road.", completion: .file())
    var roads: String?

    @OptionGroup var output: ReportOptions

    func validate() throws {
        if files.isEmpty, !simulate { throw ValidationError("Name a recording, or --simulate, or both.") }
    }

    func run() throws {
        let roads = try roads.map { try RoadLines(path: $0) }
        var evaluation = SmoothingEvaluation(withBaselines: baseline)
        for file in files {
            let recording = try RecordedTrace.read(path: file)
            EvaluateCommand.log(recording.tally.lines(of: file).joined(separator: "\n"))
            evaluation.add(recording: RecordedTrace.name(of: file), recording.traces, roads: roads)
        }
        if simulate { evaluation.addSimulations() }
        try output.write(evaluation.report)
    }
}
