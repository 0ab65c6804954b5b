import Postgres

/// Rows as JSON objects: in one array, or one per line.
final class JSONRows: RowWriter {
    private let output: TextOutput
    private let isArray: Bool
    private var members: [(prefix: String, kind: FieldKind)] = []
    private var count = 0

    init(_ output: TextOutput, isArray: Bool) {
        self.output = output
        self.isArray = isArray
    }

    func begin(_ columns: [PostgresColumn]) {
        members = columns.enumerated().map { index, column in
            ("\(index == 0 ? "{" : ",")\"\(column.name)\":", FieldKind(column))
        }
        if isArray { output.append("[") }
    }

    func write(_ row: PostgresRow) throws {
        if isArray { output.append(count == 0 ? "\n" : ",\n") }
        count += 1
        for (index, member) in members.enumerated() {
            output.append(member.prefix)
            row.withBytes(index) { output.append(json: $0, member.kind) }
        }
        output.append(isArray ? "}" : "}\n")
        try output.flushIfFull()
    }

    func end() throws { if isArray { output.append(count == 0 ? "]\n" : "\n]\n") } }
}
