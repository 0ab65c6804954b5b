import Foundation
import SightlineCLI

/// What an evaluation hands over: figures for machines, tables for people, and plots.
package protocol EvaluationReport: Encodable, Sendable {
    /// The tables that are printed, in order.
    var tables: [TextTable] { get }
    /// Those that a page of documentation shows: without single traces, and without details of small recordings.
    var pageTables: [TextTable] { get }
    /// The plots, by name: each is written as `<name>.svg`.
    var plots: [String: LinePlot] { get }
}

extension EvaluationReport {
    package var pageTables: [TextTable] { tables }

    /// The figures as JSON with keys in snake case and in a fixed order.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // A figure that could not be computed must not cost all the others.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try encoder.encode(self) + Data("\n".utf8)
    }

    /// The tables of a page, each under its title, and the plots behind them, as Markdown.
    ///
    /// The page links to the plots in `plotFolder`, which ends in a slash; without it they are left out.
    package func markdown(plotFolder: String?) -> String {
        let tables = pageTables.map {
            "**\(TextTable.markdown(escaping: $0.title))**\n" + ($0.columns.isEmpty ? "" : "\n\($0.markdown)")
        }
        let images = plotFolder.map { folder in
            plots.sorted { $0.key < $1.key }.map { name, plot in
                "![\(TextTable.markdown(escaping: plot.title))](\(folder)\(name).svg)\n"
            }
        }
        return (tables + (images ?? [])).map { "\n" + $0 }.joined() + "\n"
    }
}
