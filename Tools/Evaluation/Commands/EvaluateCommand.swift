import ArgumentParser

/// `sightline evaluate`: how right the judgement, the filter and the arrival times are.
package struct EvaluateCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measure smoothing, spoof detection and arrival times on recordings.",
        discussion: """
            Recordings are GPX or CSV, plain or gzip: trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,\
            speed_mps,heading_deg,altitude_m, and true_latitude,true_longitude where a reference stands beside the \
            fixes. Times may be ISO 8601 with a zone, too. Rows that cannot be read are listed and left out. \
            Everything is computed in passing, one fix at a time, by the workers' own code and settings.
            """,
        subcommands: [
            EvaluateSmoothing.self, EvaluateSpoofing.self, EvaluateAblation.self, EvaluateSmoothingAblation.self,
            EvaluateEta.self,
        ])

    package init() {}
}
