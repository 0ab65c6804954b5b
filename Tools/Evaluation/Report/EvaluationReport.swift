import Foundation
import SightlineCLI

/// Figures of an evaluation, as JSON and as tables for the terminal.
package protocol EvaluationReport: Encodable, Sendable {
    /// The tables that are printed, in order.
    var tables: [TextTable] { get }
}

extension EvaluationReport {
    /// Returns the figures as JSON with keys in snake case and in a fixed order.
    package func json() throws -> Data { try JSONEncoder.report.encode(self) + Data("\n".utf8) }
}

extension JSONEncoder {
    fileprivate static var report: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // One figure that could not be computed must not make the whole report fail.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }
}

extension TextTable {
    /// Makes a table of members of the rows' JSON; a column is a member or a path, such as `raw.rmse_meters`.
    ///
    /// `columns` is separated by blanks.
    init(_ title: String, of rows: [some Encodable], _ columns: String) {
        let columns = columns.split(separator: " ").map(String.init)
        self.init(title: title, columns: columns.map { $0.replacing(/[_.]/, with: " ") })
        let json = (try? JSONEncoder.report.encode(rows)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        for row in json as? [[String: Any]] ?? [] {
            add(
                columns.map { column in
                    Self.cell(
                        column.split(separator: ".").reduce(row as Any?) { value, member in
                            (value as? [String: Any])?[String(member)]
                        })
                })
        }
    }

    private static func cell(_ value: Any?) -> String {
        switch value {
        case let text as String: return text
        case let list as [Any]: return list.map(cell).joined(separator: " ")
        case let number as NSNumber:
            let value = number.doubleValue
            return String(format: value == value.rounded() || abs(value) >= 1000 ? "%.0f" : "%.4g", value)
        default: return "–"
        }
    }
}
