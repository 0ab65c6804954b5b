import Postgres

/// A writer of rows as RFC 4180: commas, quotes where needed, CR LF; nulls are empty.
final class CSVRows: RowWriter {
    override func begin(_ columns: [PostgresColumn]) {
        super.begin(columns)
        output.append(columns.map(\.name).joined(separator: ",") + "\r\n")
    }

    override func write(_ row: PostgresRow) throws {
        for (index, column) in columns.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            row.withBytes(index) { append($0, column.kind) }
        }
        output.append("\r\n")
        try output.flushIfFull()
    }

    private func append(_ bytes: UnsafeRawBufferPointer?, _ kind: FieldKind) {
        guard let bytes else { return }
        switch kind {
        case .number: output.append(bytes)
        case .boolean: output.append(bytes.first == UInt8(ascii: "t") ? "true" : "false")
        case .timestamp: output.append(timestamp: bytes)
        // {A,B} becomes A B: codes contain no blanks, so the field needs no quotes.
        case .textArray:
            for byte in bytes.dropFirst().dropLast() { output.append(byte == UInt8(ascii: ",") ? 0x20 : byte) }
        case .text, .json: append(text: bytes)
        }
    }

    private func append(text: UnsafeRawBufferPointer) {
        guard text.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return output.append(text) }
        output.append(0x22)
        for byte in text {
            if byte == 0x22 { output.append(0x22) }
            output.append(byte)
        }
        output.append(0x22)
    }
}
