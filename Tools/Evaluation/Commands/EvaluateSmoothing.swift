import ArgumentParser
import Foundation
import Recordings

/// `sightline evaluate smoothing`: how much nearer to the truth the smoothed positions are.
struct EvaluateSmoothing: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "smoothing", abstract: "Measure raw and smoothed positions against a reference.",
        discussion: """
            Per recording: the errors, how often they lie within the accuracy given, the lag along the track, and how \
            far the position of a standing vehicle wanders. A fix that brings no estimate is scored with the position \
            that is still shown.
            """)

    @Argument(help: "Recordings, plain or gzip; - is standard input.", completion: .file())
    var files: [String] = []

    @Flag(help: "Compare with familiar filters: averaging, constant velocity, constant velocity with reported speed.")
    var baseline = false

    @Flag(help: "Also measure on simulated drives.")
    var simulate = false

    @Option(
        help: "Road lines by trace (trace_id,wkt), to measure the distance from the road driven.", completion: .file())
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
            EvaluateSpoofing.report(recording.tally.lines(of: file).joined(separator: "\n"))
            evaluation.add(recording: RecordedTrace.name(of: file), recording.traces, roads: roads)
        }
        if simulate { evaluation.addSimulations() }
        try output.deliver(evaluation.report)
    }
}

extension RecordedTrace {
    /// A recording's name: its file's, without folders and endings.
    static func name(of path: String) -> String {
        guard path != "-" else { return "standard input" }
        let file = URL(fileURLWithPath: path).lastPathComponent
        return String(file.split(separator: ".").first ?? Substring(file))
    }
}
