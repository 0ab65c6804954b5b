import ArgumentParser
import Foundation
import Recordings
import SightlineCLI

/// Where the outcome of an evaluation goes.
struct ReportOptions: ParsableArguments {
    @Option(
        help: "Also write the figures as JSON to this file; - is standard output, in place of the tables.",
        completion: .file())
    var json: String?

    @Option(help: "Also write the plots, as SVG, into this folder.", completion: .directory)
    var plots: String?

    @Option(
        help: ArgumentHelp(
            """
            Also put the tables, and links to the plots, into a page, between its comments <!-- NAME:begin --> and \
            <!-- NAME:end -->.
            """, valueName: "page#name"),
        transform: Self.part(of:))
    var markdown: GeneratedPart?

    /// Prints the tables and writes the files that are asked for.
    func deliver(_ report: some EvaluationReport) throws {
        if json == "-" {
            FileHandle.standardOutput.write(try report.json())
        } else {
            print(report.tables.map(\.text).joined(separator: "\n"), terminator: "")
            if let json { try ReportFile.write(report.json(), to: json) }
        }
        if let plots, !report.plots.isEmpty {
            try makeFolder(plots)
            for (name, plot) in report.plots { try ReportFile.write(Data(plot.svg().utf8), to: "\(plots)/\(name).svg") }
        }
        if let markdown { try write(report, into: markdown) }
    }

    private static func part(of text: String) throws -> GeneratedPart {
        guard let part = GeneratedPart(text) else {
            throw ValidationError("--markdown needs a page and a name, as docs/accuracy.md#smoothing, not '\(text)'.")
        }
        return part
    }

    private func write(_ report: some EvaluationReport, into part: GeneratedPart) throws {
        guard let page = try? String(contentsOfFile: part.file, encoding: .utf8) else {
            throw InputError("\(part.file) cannot be read.")
        }
        let text = report.markdown(plotFolder: plots.map(part.link))
        try ReportFile.write(Data(part.replaced(in: page, with: text).utf8), to: part.file)
    }

    private func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw InputError("The folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }
}
