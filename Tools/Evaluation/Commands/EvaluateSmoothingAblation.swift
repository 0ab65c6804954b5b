import ArgumentParser
import Recordings

/// `sightline evaluate smoothing-ablation`: what each number of the smoothing is good for.
struct EvaluateSmoothingAblation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "smoothing-ablation", abstract: "Measure what changes without each number of the smoothing.",
        discussion: """
            Smooths recordings and simulated drives as `evaluate smoothing --simulate` does, with every part of the \
            filter, and then without one after the other. A part that moves nothing by one percent is not needed.
            """)

    @Argument(help: "Recordings, plain or gzip; - is standard input.", completion: .file())
    var files: [String] = []

    @Option(
        help: "Road lines by trace (trace_id,wkt), to measure the distance from the road driven.", completion: .file())
    var roads: String?

    @Option(name: .customLong("part"), help: "Only parts whose names begin so; may be given several times.")
    var parts: [String] = []

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard !chosen.isEmpty else {
            throw ValidationError(
                "No number has a name that begins so. Omit --part to measure all of them and see their names.")
        }
    }

    func run() throws {
        let roads = try roads.map { try RoadLines(path: $0) }
        let recordings = try files.map { file in
            SmoothingAblation.Recording(
                name: RecordedTrace.name(of: file), traces: try RecordedTrace.read(path: file).traces)
        }
        try output.deliver(
            SmoothingAblation(on: recordings, roads: roads, parts: chosen, progress: EvaluateSpoofing.report))
    }

    private var chosen: [SmoothingPart] {
        guard !parts.isEmpty else { return SmoothingPart.all }
        return SmoothingPart.all.filter { part in parts.contains { part.name.hasPrefix($0) } }
    }
}
