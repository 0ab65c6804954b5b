import CPQ

// Replacements of libpq's functions of results. The state behind a `PGresult` is a LibpqResult.

private let emptyText = CText("")

private func result(_ handle: OpaquePointer?) -> LibpqResult? {
    handle.map { Unmanaged<LibpqResult>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

@_cdecl("PQclear")
func libpqClear(_ handle: OpaquePointer?) {
    guard let handle else { return }
    Unmanaged<LibpqResult>.fromOpaque(UnsafeRawPointer(handle)).release()
}

@_cdecl("PQresultStatus")
func libpqResultStatus(_ handle: OpaquePointer?) -> ExecStatusType { result(handle)?.status ?? PGRES_FATAL_ERROR }

@_cdecl("PQresultErrorField")
func libpqResultErrorField(_ handle: OpaquePointer?, _ code: Int32) -> UnsafeMutablePointer<CChar>? {
    result(handle)?.errorFields[code]?.pointer
}

@_cdecl("PQresultErrorMessage")
func libpqResultErrorMessage(_ handle: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    (result(handle)?.errorMessage ?? emptyText).pointer
}

@_cdecl("PQcmdTuples")
func libpqCommandTuples(_ handle: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    (result(handle)?.affected ?? emptyText).pointer
}

@_cdecl("PQntuples")
func libpqRowCount(_ handle: OpaquePointer?) -> Int32 { Int32(result(handle)?.rows.count ?? 0) }

@_cdecl("PQnfields")
func libpqColumnCount(_ handle: OpaquePointer?) -> Int32 { Int32(result(handle)?.columns.count ?? 0) }

@_cdecl("PQfname")
func libpqColumnName(_ handle: OpaquePointer?, _ column: Int32) -> UnsafeMutablePointer<CChar>? {
    guard let columns = result(handle)?.columns, columns.indices.contains(Int(column)) else { return nil }
    return columns[Int(column)].name.pointer
}

@_cdecl("PQftype")
func libpqColumnType(_ handle: OpaquePointer?, _ column: Int32) -> Oid {
    guard let columns = result(handle)?.columns, columns.indices.contains(Int(column)) else { return 0 }
    return columns[Int(column)].type
}

@_cdecl("PQgetisnull")
func libpqIsNull(_ handle: OpaquePointer?, _ row: Int32, _ column: Int32) -> Int32 {
    result(handle)?.value(row: row, column: column) == nil ? 1 : 0
}

/// An empty text for null.
@_cdecl("PQgetvalue")
func libpqValue(_ handle: OpaquePointer?, _ row: Int32, _ column: Int32) -> UnsafeMutablePointer<CChar>? {
    (result(handle)?.value(row: row, column: column) ?? emptyText).pointer
}

@_cdecl("PQgetlength")
func libpqValueLength(_ handle: OpaquePointer?, _ row: Int32, _ column: Int32) -> Int32 {
    Int32(result(handle)?.value(row: row, column: column)?.count ?? 0)
}
