/// Parser of records of comma-separated values (RFC 4180).
///
/// White space around cells is removed. A quote is special only at the beginning of a cell and inside a quoted cell;
/// elsewhere, as in `5" pipe`, a quote is an ordinary character.
enum CSVLine {
    private enum State { case bare, quoted, closed }

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")

    /// Returns the column names of a header, without a byte order mark.
    static func names(_ header: String) -> [String] {
        cells(header.hasPrefix("\u{feff}") ? String(header.dropFirst()) : header)
    }

    /// Returns the cells of a record; a quoted cell may contain commas, line breaks and doubled quotes.
    static func cells(_ record: String) -> [String] {
        guard record.utf8.contains(quote) else {
            return record.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        }
        return parse(record).cells
    }

    /// Returns whether the record ends inside a quoted cell and continues on the next line.
    static func isOpen(_ record: String) -> Bool { record.utf8.contains(quote) && parse(record).isOpen }

    private static func parse(_ record: String) -> (cells: [String], isOpen: Bool) {
        var cells: [String] = []
        var cell: [UInt8] = []
        var state = State.bare
        for byte in record.utf8 {
            switch (state, byte) {
            case (.bare, quote) where cell.allSatisfy(isSpace): (cell, state) = ([], .quoted)
            case (.quoted, quote): state = .closed
            // The second quote of a pair is an ordinary character.
            case (.closed, quote): (cell, state) = (cell + [quote], .quoted)
            case (.bare, comma), (.closed, comma):
                cells.append(text(cell, state))
                (cell, state) = ([], .bare)
            case (.closed, _): if !isSpace(byte) { cell.append(byte) }
            default: cell.append(byte)
            }
        }
        cells.append(text(cell, state))
        return (cells, state == .quoted)
    }

    private static func text(_ cell: [UInt8], _ state: State) -> String {
        let text = String(decoding: cell, as: UTF8.self)
        return state == .bare ? trimmed(text[...]) : text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    /// Removes white space at both ends, including no-break spaces.
    static func trimmed(_ text: Substring) -> String {
        guard let first = text.utf8.first, let last = text.utf8.last else { return "" }
        if first > 0x20, first < 0x80, last > 0x20, last < 0x80 { return String(text) }
        let rest = text.drop { $0.isWhitespace }
        guard let end = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...end])
    }
}
