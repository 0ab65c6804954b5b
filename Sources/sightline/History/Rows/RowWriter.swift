import Postgres

/// A writer of the rows of a result in one format.
class RowWriter {
    let output: TextOutput
    /// The columns of the result, with the kind of their values.
    private(set) var columns: [(name: String, kind: FieldKind)] = []

    init(_ output: TextOutput) { self.output = output }

    /// Begins the output; called once, before the first row, also for an empty result.
    func begin(_ columns: [PostgresColumn]) { self.columns = columns.map { ($0.name, FieldKind($0)) } }
    func write(_ row: PostgresRow) throws {}
    /// Ends the output; called once, after the last row.
    func end() throws {}

    func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}

enum FieldKind {
    case text, number, boolean, json, timestamp, textArray

    init(_ column: PostgresColumn) {
        self =
            column.isNumeric
            ? .number
            : column.isBoolean
                ? .boolean
                : column.isJSON ? .json : column.isTimestamp ? .timestamp : column.isTextArray ? .textArray : .text
    }
}

/// Conversion of values from their text format in Postgres.
extension TextOutput {
    /// Writes `2025-03-14 18:32:15.123+00` as `2025-03-14T18:32:15.123Z`; other values (infinity) unchanged.
    func append(timestamp bytes: UnsafeRawBufferPointer) {
        let isPlain = bytes.count >= 22 && bytes[10] == 0x20 && bytes.suffix(3).elementsEqual("+00".utf8)
        guard isPlain else { return append(bytes) }
        append(UnsafeRawBufferPointer(rebasing: bytes[..<10]))
        append(UInt8(ascii: "T"))
        append(UnsafeRawBufferPointer(rebasing: bytes[11..<(bytes.count - 3)]))
        append(UInt8(ascii: "Z"))
    }

    /// Writes text inside a JSON string.
    func append(jsonEscaped bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            switch byte {
            case 0x22, 0x5C:
                append(0x5C)
                append(byte)
            case ..<0x20:
                append("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
            default: append(byte)
            }
        }
    }

    /// Writes text inside XML; control characters, which XML does not allow, become spaces.
    func append(xmlEscaped bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case 0x09, 0x0A, 0x0D, 0x20...: append(byte)
            default: append(0x20)
            }
        }
    }

    func append(json bytes: UnsafeRawBufferPointer?, _ kind: FieldKind) {
        guard let bytes else { return append("null") }
        switch kind {
        case .json: append(bytes)
        case .number where bytes.first.map { $0 == 0x2D || (0x30...0x39).contains($0) } ?? false: append(bytes)
        case .boolean: append(bytes.first == UInt8(ascii: "t") ? "true" : "false")
        case .textArray: append(jsonArray: bytes)
        case .timestamp:
            append(0x22)
            append(timestamp: bytes)
            append(0x22)
        // NaN and Infinity.
        case .number: append("null")
        case .text:
            append(0x22)
            append(jsonEscaped: bytes)
            append(0x22)
        }
    }

    /// Writes `{A,B}` as `["A","B"]`; only for codes, which Postgres writes without quotes.
    private func append(jsonArray bytes: UnsafeRawBufferPointer) {
        let codes = bytes.dropFirst().dropLast().split(separator: UInt8(ascii: ","))
        append(UInt8(ascii: "["))
        for (index, code) in codes.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(0x22)
            append(jsonEscaped: UnsafeRawBufferPointer(rebasing: code))
            append(0x22)
        }
        append(UInt8(ascii: "]"))
    }
}
