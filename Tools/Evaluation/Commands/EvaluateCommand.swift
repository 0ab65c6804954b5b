import ArgumentParser
import Foundation
import Recordings
import Runtime
import SightlineCLI

/// `sightline evaluate`: measures the accuracy of smoothing, spoof detection and arrival times.
package struct EvaluateCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measure smoothing, spoof detection and arrival times on recordings.",
        discussion: """
            Recordings are GPX or CSV, plain or gzip: trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,\
            speed_mps,heading_deg,altitude_m, and true_latitude,true_longitude if there is a reference position. \
            Times may also be ISO 8601 with a zone. Rows that cannot be read are reported and skipped. The workers' \
            own code and default settings process one fix after the other.
            """,
        subcommands: [EvaluateSmoothing.self, EvaluateSpoofing.self, EvaluateEta.self])

    package init() {}

    /// Writes a line about the progress to standard error.
    static func log(_ line: String) { StandardError.write("\(line)\n") }
}

/// Destination of an evaluation's figures.
struct ReportOptions: ParsableArguments {
    @Option(
        help: "Also write the figures as JSON to this file; - is standard output, instead of the tables.",
        completion: .file())
    var json: String?

    /// Prints the tables and writes the JSON file, or writes only JSON to standard output if ``json`` is `-`.
    func write(_ report: some EvaluationReport) throws {
        if json == "-" {
            FileHandle.standardOutput.write(try report.json())
        } else {
            print(report.tables.map(\.text).joined(separator: "\n"), terminator: "")
            if let json { try ReportFile.write(report.json(), to: json) }
        }
    }
}

extension RecordedTrace {
    /// Returns a recording's name: the file name without folders and extensions.
    static func name(of path: String) -> String {
        guard path != "-" else { return "standard input" }
        let file = URL(fileURLWithPath: path).lastPathComponent
        return String(file.split(separator: ".").first ?? Substring(file))
    }
}
