import Foundation
import Recordings

/// Reports of commands as files.
package enum ReportFile {
    /// A report as JSON, with keys in a fixed order.
    package static func json(_ report: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(report) + Data("\n".utf8)
    }

    /// - Throws: ``InputError`` when the file cannot be written.
    package static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path))
        } catch {
            throw InputError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
