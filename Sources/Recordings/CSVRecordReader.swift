/// Reader of the records of a CSV file: lines, joined if a quoted cell contains line breaks (RFC 4180).
///
/// Lines end with a line feed, a carriage return, or both. If a quote is not closed within ``maximumLines``, the
/// line with the quote is a record of its own.
final class CSVRecordReader {
    /// Maximum number of lines of a record.
    private static let maximumLines = 64

    private let lines: LineReader
    /// Lines read ahead, in reverse order.
    private var pending: [String] = []
    private var linesRead = 0
    /// Number of the first line of the last returned record, counted from 1.
    private(set) var lineNumber = 0

    /// - Throws: ``InputError`` if the file is UTF-16.
    init(_ lines: LineReader) throws {
        try lines.requireUTF8()
        self.lines = lines
    }

    /// Returns the next record that is not empty; `nil` at the end.
    func next() throws -> String? {
        while let line = try nextLine() {
            lineNumber = linesRead
            if line.isEmpty { continue }
            return CSVLine.isOpen(line) ? try completed(line) : line
        }
        return nil
    }

    private func completed(_ first: String) throws -> String {
        var recordLines = [first]
        while recordLines.count < Self.maximumLines, let line = try nextLine() {
            recordLines.append(line)
            // Only a line with a quote can close the cell.
            guard line.utf8.contains(UInt8(ascii: "\"")) else { continue }
            let record = recordLines.joined(separator: "\n")
            if !CSVLine.isOpen(record) { return record }
        }
        pending += recordLines.dropFirst().reversed()
        linesRead = lineNumber
        return first
    }

    private func nextLine() throws -> String? {
        if pending.isEmpty {
            guard let line = try lines.next()?.string else { return nil }
            guard line.utf8.contains(UInt8(ascii: "\r")) else {
                linesRead += 1
                return line
            }
            // Splits bytes, because CR LF is one Swift character.
            let pieces = line.utf8.split(separator: UInt8(ascii: "\r"), omittingEmptySubsequences: false)
            pending = pieces.reversed().map { String(Substring($0)) }
        }
        linesRead += 1
        return pending.popLast()
    }
}
