/// Name and version of the program, for the log's first line, the endpoint and a metric.
package struct BuildInfo: Sendable, Hashable {
    /// The version of the project, shared by all programs.
    package static let currentVersion = "0.1.0"

    /// The program's product name, such as `location-worker`.
    package let name: String
    package var version = BuildInfo.currentVersion
}

extension BuildInfo: CustomStringConvertible {
    package var description: String { "\(name) \(version)" }
}
