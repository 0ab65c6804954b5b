import Foundation
import Recordings

/// Encoding and writing of reports as JSON files.
package enum ReportFile {
    /// Encodes a report with sorted keys; names of properties become snake case.
    package static func json(_ report: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(report) + Data("\n".utf8)
    }

    /// - Throws: ``InputError`` if the file cannot be written.
    package static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path))
        } catch {
            throw InputError("Cannot write \(path): \(error.localizedDescription)")
        }
    }
}
