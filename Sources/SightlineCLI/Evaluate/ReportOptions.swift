import ArgumentParser
import Evaluation
import Foundation
import Recordings

/// Where the outcome of an evaluation goes.
struct ReportOptions: ParsableArguments {
    @Option(
        help: "Also write the figures as JSON to this file; - is standard output, in place of the tables.",
        completion: .file())
    var json: String?

    @Option(help: "Also write the plots, as SVG, into this folder.", completion: .directory)
    var plots: String?

    /// Prints the tables and writes the files that are asked for.
    func deliver(_ report: some EvaluationReport) throws {
        if json == "-" {
            FileHandle.standardOutput.write(try report.json())
        } else {
            print(report.tables.map(\.text).joined(separator: "\n"), terminator: "")
            if let json { try write(report.json(), to: json) }
        }
        guard let plots, !report.plots.isEmpty else { return }
        try makeFolder(plots)
        for (name, plot) in report.plots { try write(Data(plot.svg().utf8), to: "\(plots)/\(name).svg") }
    }

    private func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path))
        } catch {
            throw InputError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    private func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw InputError("The folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }
}
