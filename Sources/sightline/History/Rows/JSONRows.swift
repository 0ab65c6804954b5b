import Postgres

/// A writer of rows as JSON objects, in one array or one per line.
final class JSONRows: RowWriter {
    private let isArray: Bool
    private var count = 0

    init(_ output: TextOutput, isArray: Bool) {
        self.isArray = isArray
        super.init(output)
    }

    override func begin(_ columns: [PostgresColumn]) {
        super.begin(columns)
        if isArray { output.append("[") }
    }

    override func write(_ row: PostgresRow) throws {
        if isArray { output.append(count == 0 ? "\n" : ",\n") }
        count += 1
        output.append(row, columns, of: columns.indices)
        if !isArray { output.append("\n") }
        try output.flushIfFull()
    }

    override func end() throws { if isArray { output.append(count == 0 ? "]\n" : "\n]\n") } }
}

/// A writer of rows as a GeoJSON FeatureCollection (RFC 7946): a point per row, other columns as properties.
final class GeoJSONRows: RowWriter {
    private var latitude: Int?
    private var longitude: Int?
    private var properties: [Int] = []
    private var count = 0

    override func begin(_ columns: [PostgresColumn]) {
        super.begin(columns)
        (latitude, longitude) = (index(of: "latitude"), index(of: "longitude"))
        properties = columns.indices.filter { $0 != latitude && $0 != longitude }
        output.append(#"{"type":"FeatureCollection","features":["#)
    }

    override func write(_ row: PostgresRow) throws {
        output.append(count == 0 ? "\n" : ",\n")
        count += 1
        output.append(#"{"type":"Feature","geometry":"#)
        if let latitude, let longitude, !row.isNull(latitude), !row.isNull(longitude) {
            output.append(#"{"type":"Point","coordinates":["#)
            row.withBytes(longitude) { output.append(json: $0, .number) }
            output.append(",")
            row.withBytes(latitude) { output.append(json: $0, .number) }
            output.append("]}")
        } else {
            output.append("null")
        }
        output.append(#","properties":"#)
        output.append(row, columns, of: properties)
        output.append("}")
        try output.flushIfFull()
    }

    override func end() throws { output.append(count == 0 ? "]}\n" : "\n]}\n") }
}

extension TextOutput {
    /// Writes these columns of a row as a JSON object.
    fileprivate func append(
        _ row: PostgresRow, _ columns: [(name: String, kind: FieldKind)], of indices: some Sequence<Int>
    ) {
        var separator = "{\""
        for index in indices {
            append(separator)
            append(columns[index].name)
            append("\":")
            row.withBytes(index) { append(json: $0, columns[index].kind) }
            separator = ",\""
        }
        append(separator == "{\"" ? "{}" : "}")
    }
}
