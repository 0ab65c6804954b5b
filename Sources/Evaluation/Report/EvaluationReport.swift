import Foundation

/// What an evaluation hands over: figures for machines, tables for people, and plots.
package protocol EvaluationReport: Encodable, Sendable {
    /// The tables that are printed, in order.
    var tables: [TextTable] { get }
    /// The plots, by name: each is written as `<name>.svg`.
    var plots: [String: LinePlot] { get }
}

extension EvaluationReport {
    /// The figures as JSON with keys in snake case and in a fixed order.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
