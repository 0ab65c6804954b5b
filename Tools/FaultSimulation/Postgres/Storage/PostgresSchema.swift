import HistoryWorker

/// The tables, columns and keys that the migrations of `history-worker` create.
///
/// Reads the migrations' own SQL, so that the simulated schema cannot differ from the real one.
struct PostgresSchema {
    struct Column {
        let name: String
        let type: PostgresType
        let isRequired: Bool
        let hasDefault: Bool
    }

    struct Table {
        let name: String
        var columns: [Column] = []
        /// Column that selects the day partition; `nil` if the table has no partitions.
        var timeColumn: String?

        func column(_ name: String) -> Column? { columns.first { $0.name == name } }
    }

    /// The tables in the order of the migrations.
    private(set) var tables: [Table] = []
    private var enumerations: [String: [String]] = [:]

    /// - Parameter script: SQL in the layout of `Schema/0001_tables.sql`, with one column per line.
    init(script: String = Migration.all.map(\.script).joined(separator: "\n")) {
        var table: Table?
        for line in script.split(separator: "\n") {
            let text = line.prefix(upTo: line.firstRange(of: "--")?.lowerBound ?? line.endIndex).trimmed
            if table != nil, text.hasPrefix(")") {
                table?.timeColumn = Self.parenthesized(after: "PARTITION BY RANGE", in: text)
                tables += [table].compactMap { $0 }
                table = nil
            } else if table != nil {
                if let column = column(text) { table?.columns.append(column) }
            } else if let name = Self.middle(of: text, after: "CREATE TABLE ", before: " (") {
                table = Table(name: name)
            } else if let name = Self.middle(of: text, after: "CREATE TYPE ", before: " AS ENUM ") {
                enumerations[name] = Self.parenthesized(after: "AS ENUM", in: text)?.split(separator: ",").map {
                    String($0.trimmed.dropFirst().dropLast())
                }
            }
        }
    }

    func table(_ name: String) -> Table? { tables.first { $0.name == name } }

    /// The tables partitioned by day.
    var historyTables: [Table] { tables.filter { $0.timeColumn != nil } }

    private func column(_ line: String) -> Column? {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        guard words.count >= 2 else { return nil }
        let name = words[1] == "double" ? "double precision" : words[1]
        guard let type = PostgresType(name, enumerations: enumerations) else { return nil }
        return Column(
            name: words[0], type: type, isRequired: line.contains("NOT NULL"), hasDefault: line.contains("DEFAULT"))
    }

    private static func middle(of text: String, after start: String, before end: String) -> String? {
        guard text.hasPrefix(start), let range = text.firstRange(of: end) else { return nil }
        return String(text[text.index(text.startIndex, offsetBy: start.count)..<range.lowerBound])
    }

    private static func parenthesized(after start: String, in text: String) -> String? {
        guard let range = text.firstRange(of: start) else { return nil }
        let rest = text[range.upperBound...]
        guard let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")") else { return nil }
        return String(rest[rest.index(after: open)..<close])
    }
}

extension StringProtocol {
    /// The text without spaces at its ends.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
