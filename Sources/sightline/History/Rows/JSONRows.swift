import Postgres

/// Writes rows as JSON objects, in one array or one per line.
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

/// Writes rows as a GeoJSON FeatureCollection (RFC 7946): a point per row, the other columns as properties.
final class GeoJSONRows: RowWriter {
    private let output: TextOutput
    private var latitude: Int?
    private var longitude: Int?
    private var properties: [(index: Int, prefix: String, kind: FieldKind)] = []
    private var count = 0

    init(_ output: TextOutput) { self.output = output }

    func begin(_ columns: [PostgresColumn]) {
        latitude = columns.firstIndex { $0.name == "latitude" }
        longitude = columns.firstIndex { $0.name == "longitude" }
        for (index, column) in columns.enumerated() where index != latitude && index != longitude {
            let prefix = "\(properties.isEmpty ? "" : ",")\"\(column.name)\":"
            properties.append((index, prefix, FieldKind(column)))
        }
        output.append(#"{"type":"FeatureCollection","features":["#)
    }

    func write(_ row: PostgresRow) throws {
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
        output.append(#","properties":{"#)
        for property in properties {
            output.append(property.prefix)
            row.withBytes(property.index) { output.append(json: $0, property.kind) }
        }
        output.append("}}")
        try output.flushIfFull()
    }

    func end() throws { output.append(count == 0 ? "]}\n" : "\n]}\n") }
}
