/// Reads the records of a CSV file: lines, joined where a quoted cell contains line breaks (RFC 4180).
///
/// Lines end with a line feed, a carriage return, or both. A quote that is opened and not closed within
/// ``maximumLines`` does not swallow the file: its line is a record of its own.
final class CSVRecordReader {
    /// The most lines that a record may have.
    private static let maximumLines = 64

    private let lines: LineReader
    /// Lines that were read ahead, in reverse order.
    private var pending: [String] = []
    private var linesRead = 0
    /// The line on which the last record begins, counted from 1.
    private(set) var lineNumber = 0

    /// - Throws: ``InputError`` where the file is not UTF-8.
    init(_ lines: LineReader) throws {
        try lines.requireUTF8()
        self.lines = lines
    }

    /// The next record that is not empty; `nil` after the last.
    func next() throws -> String? {
        while let line = try nextLine() {
            lineNumber = linesRead
            if line.isEmpty { continue }
            return CSVLine.isOpen(line) ? try completed(line) : line
        }
        return nil
    }

    private func completed(_ first: String) throws -> String {
        var read = [first]
        while read.count < Self.maximumLines, let line = try nextLine() {
            read.append(line)
            // Only a line with a quote can close the cell.
            guard line.utf8.contains(UInt8(ascii: "\"")) else { continue }
            let record = read.joined(separator: "\n")
            if !CSVLine.isOpen(record) { return record }
        }
        pending += read.dropFirst().reversed()
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
            // Swift counts CR LF as one character, so the bytes are split.
            let pieces = line.utf8.split(separator: UInt8(ascii: "\r"), omittingEmptySubsequences: false)
            pending = pieces.reversed().map { String(Substring($0)) }
        }
        linesRead += 1
        return pending.popLast()
    }
}
