/// Columns of a `COPY` statement.
final class CopyLayout {
    let table: PostgresSchema.Table
    let columns: [PostgresSchema.Column]
    /// Column that requires a value and is absent, so that every row is an error.
    let missingColumn: String?
    /// Position of the partition key among the columns.
    let timePosition: Int
    /// Position of the driver or trip that queries select.
    let keyPosition: Int

    /// - Throws: as the server, if a column does not exist.
    init(_ table: PostgresSchema.Table, columns names: [String]) throws(PostgresFailure) {
        self.table = table
        var columns: [PostgresSchema.Column] = []
        for name in names {
            guard let column = table.column(name) else {
                throw PostgresFailure(
                    "42703", "column \"\(name)\" of relation \"\(table.name)\" does not exist")
            }
            columns.append(column)
        }
        self.columns = columns
        missingColumn = table.columns.first { $0.isRequired && !$0.hasDefault && !names.contains($0.name) }?.name
        guard let timePosition = columns.firstIndex(where: { $0.name == table.timeColumn }) else {
            throw PostgresFailure("42809", "\"\(table.name)\" is not a history table")
        }
        self.timePosition = timePosition
        keyPosition =
            names.firstIndex(of: "trip_id").flatMap { table.name == "eta_history" ? $0 : nil }
            ?? names.firstIndex(of: "driver_id") ?? timePosition
    }

    /// Returns the error of a null in a column that requires a value.
    static func missing(_ column: String, of table: String) -> PostgresFailure {
        PostgresFailure(
            "23502", "null value in column \"\(column)\" of relation \"\(table)\" violates not-null constraint")
    }
}

/// Row of a history table as the bytes that `COPY` received.
struct HistoryRow {
    let layout: CopyLayout
    /// Fields with their lengths, as in the binary format of `COPY`.
    let bytes: [UInt8]
    /// Value of the partition key, in microseconds since 2000.
    let time: Int64
    /// Driver or trip that queries select.
    let key: String
    /// Number that identifies the row; the store assigns it at the commit.
    var id = 0

    /// - Throws: as the server, if a value is invalid or missing.
    init(_ layout: CopyLayout, _ bytes: [UInt8]) throws(PostgresFailure) {
        (self.layout, self.bytes) = (layout, bytes)
        var (time, key): (Int64, String) = (0, "")
        var rest = bytes[...]
        for (position, column) in layout.columns.enumerated() {
            guard let field = Self.removeField(from: &rest) else {
                if column.isRequired { throw CopyLayout.missing(column.name, of: layout.table.name) }
                continue
            }
            try column.type.check(field)
            if position == layout.timePosition { time = field.signed }
            if position == layout.keyPosition { key = String(decoding: field, as: UTF8.self) }
        }
        if let missing = layout.missingColumn { throw CopyLayout.missing(missing, of: layout.table.name) }
        (self.time, self.key) = (time, key)
    }

    /// Returns the bytes of a column; `nil` for null.
    func field(_ column: String) -> ArraySlice<UInt8>? {
        guard let position = layout.columns.firstIndex(where: { $0.name == column }) else { return nil }
        var rest = bytes[...]
        for _ in 0..<position { _ = Self.removeField(from: &rest) }
        return Self.removeField(from: &rest)
    }

    func number(_ column: String) -> Int64? { field(column)?.signed }

    func boolean(_ column: String) -> Bool { field(column)?.first == 1 }

    func double(_ column: String) -> Double? { number(column).map { Double(bitPattern: UInt64(bitPattern: $0)) } }

    /// Returns a value as text; `nil` for null.
    func text(_ column: String) -> String? {
        guard let type = layout.table.column(column)?.type else { return nil }
        return field(column).map { type.text($0) }
    }

    /// All values in the order of the schema, as `column=value`, with `-` for null.
    var line: String {
        var values: [String: String] = [:]
        var rest = bytes[...]
        for column in layout.columns { values[column.name] = Self.removeField(from: &rest).map(column.type.text) }
        return layout.table.columns.map { "\($0.name)=\(values[$0.name] ?? "-")" }.joined(separator: " ")
    }

    private static func removeField(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let length = Int(rest.prefix(4).signed)
        rest.removeFirst(4)
        guard length >= 0 else { return nil }
        defer { rest.removeFirst(length) }
        return rest.prefix(length)
    }
}
