import CPQ

/// Result of one statement, in libpq's memory.
///
/// Values are text, parsed by the typed accessors. Not for hot paths, because texts become `String`s.
package final class PostgresResult {
    private let handle: OpaquePointer
    package let rowCount: Int
    /// Columns in the order of the statement.
    package let columns: [PostgresColumn]

    /// Creates the owner of `handle`; reads the columns only if they are not known.
    init(owning handle: OpaquePointer, columns known: [PostgresColumn]? = nil) {
        self.handle = handle
        rowCount = Int(PQntuples(handle))
        columns =
            known
            ?? (0..<PQnfields(handle)).map { index in
                PostgresColumn(
                    name: PQfname(handle, index).map { String(cString: $0) } ?? "", type: UInt32(PQftype(handle, index))
                )
            }
    }

    deinit { PQclear(handle) }

    /// Number of rows returned, inserted, updated, deleted or copied; 0 for other statements.
    package var affectedRows: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    package var rows: [PostgresRow] { (0..<rowCount).map { PostgresRow(result: self, index: $0) } }

    package var first: PostgresRow? { rowCount > 0 ? PostgresRow(result: self, index: 0) : nil }

    /// Returns the text of a value, valid as long as the result; `nil` for SQL's null.
    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        guard PQgetisnull(handle, Int32(row), Int32(column)) == 0,
            let start = PQgetvalue(handle, Int32(row), Int32(column))
        else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, Int32(row), Int32(column))))
    }
}

package struct PostgresColumn: Sendable, Hashable {
    package let name: String
    /// Object id of the type, as in `pg_type`.
    package let type: UInt32

    package var isNumeric: Bool { [20, 21, 23, 700, 701, 1700].contains(type) }
    package var isBoolean: Bool { type == 16 }
    package var isJSON: Bool { type == 114 || type == 3802 }
    package var isTimestamp: Bool { type == 1184 }
    package var isTextArray: Bool { type == 1009 }
}

/// One row of a ``PostgresResult``; columns are indexed by position.
package struct PostgresRow {
    let result: PostgresResult
    let index: Int

    package var columns: [PostgresColumn] { result.columns }

    /// Calls `body` with the value's text, which is valid during the call; `nil` for SQL's null.
    package func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> Value) rethrows -> Value {
        try withExtendedLifetime(result) { try body(result.bytes(row: index, column: column)) }
    }

    package func string(_ column: Int) -> String? {
        withBytes(column) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    package func isNull(_ column: Int) -> Bool { withBytes(column) { $0 == nil } }

    /// - Throws: ``PostgresError`` if the value is null or not a whole number.
    package func integer(_ column: Int) throws -> Int64 { try required(column, "a whole number") { Int64($0) } }

    /// - Throws: ``PostgresError`` if the value is null or not a number.
    package func double(_ column: Int) throws -> Double { try required(column, "a number") { Double($0) } }

    /// - Throws: ``PostgresError`` if the value is null or not a boolean.
    package func boolean(_ column: Int) throws -> Bool {
        try required(column, "true or false") { $0 == "t" ? true : $0 == "f" ? false : nil }
    }

    package func text(_ column: Int) throws -> String { try required(column, "a text") { $0 } }

    /// - Throws: ``PostgresError`` if the value is null or of another type.
    private func required<Value>(_ column: Int, _ kind: String, _ read: (String) -> Value?) throws -> Value {
        if let text = string(column), let value = read(text) { return value }
        throw PostgresError(
            code: .unexpectedResult, message: "Column \(columns[column].name) is not \(kind).")
    }
}
