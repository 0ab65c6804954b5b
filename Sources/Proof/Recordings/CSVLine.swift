/// Lines of comma-separated values (RFC 4180), without line breaks inside cells.
enum CSVLine {
    /// The names of a header's columns; a byte order mark before them is left out.
    static func names(_ header: String) -> [String] {
        cells(header.hasPrefix("\u{feff}") ? String(header.dropFirst()) : header)
    }

    /// The cells of a line; one in double quotes may hold commas, and quotes written twice.
    static func cells(_ line: String) -> [String] {
        guard line.utf8.contains(UInt8(ascii: "\"")) else {
            return line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        var cells: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "\""):
                // The second quote of a doubled pair reopens the cell and stands for itself.
                if !isQuoted, !cells[cells.count - 1].isEmpty { cells[cells.count - 1].append(byte) }
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: cells.append([])
            default: cells[cells.count - 1].append(byte)
            }
        }
        return cells.map { String(decoding: $0, as: UTF8.self) }
    }
}
