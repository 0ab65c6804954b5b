import Domain
import Postgres
import Support

/// A column of a history table, with the closure that appends its value for a row.
///
/// Each function makes a column of one Postgres type; `nil` is stored as null. The functions are inlined, so that a
/// value costs one call.
struct HistoryColumn<Row>: Sendable {
    let name: String
    let append: @Sendable (inout CopyBuffer, Row) -> Void

    @inline(__always)
    static func timestamp(_ name: String, _ value: @escaping @Sendable (Row) -> Timestamp?) -> Self {
        Self(name: name) { $0.append(timestampMilliseconds: value($1)?.milliseconds) }
    }

    @inline(__always)
    static func bigint(_ name: String, _ value: @escaping @Sendable (Row) -> Int64?) -> Self {
        Self(name: name) { $0.append(value($1)) }
    }

    @inline(__always)
    static func integer(_ name: String, _ value: @escaping @Sendable (Row) -> Int?) -> Self {
        Self(name: name) { $0.append(value($1).map { Int32(clamping: $0) }) }
    }

    @inline(__always)
    static func smallint(_ name: String, _ value: @escaping @Sendable (Row) -> Int?) -> Self {
        Self(name: name) { $0.append(value($1).map { Int16(clamping: $0) }) }
    }

    @inline(__always)
    static func double(_ name: String, _ value: @escaping @Sendable (Row) -> Double?) -> Self {
        Self(name: name) { $0.append(value($1)) }
    }

    @inline(__always)
    static func real(_ name: String, _ value: @escaping @Sendable (Row) -> Double?) -> Self {
        Self(name: name) { $0.append(real: value($1)) }
    }

    @inline(__always)
    static func boolean(_ name: String, _ value: @escaping @Sendable (Row) -> Bool?) -> Self {
        Self(name: name) { if let value = value($1) { $0.append(value) } else { $0.appendNull() } }
    }

    /// A `text` or enumeration column.
    @inline(__always)
    static func code(_ name: String, _ value: @escaping @Sendable (Row) -> StaticString?) -> Self {
        Self(name: name) { if let code = value($1) { $0.append(code) } else { $0.appendNull() } }
    }

    @inline(__always)
    static func text(_ name: String, _ value: @escaping @Sendable (Row) -> ByteSlice) -> Self {
        Self(name: name) { $0.append(text: value($1).buffer) }
    }

    /// A `text` column in which an empty text is stored as null.
    @inline(__always)
    static func textOrNull(_ name: String, _ value: @escaping @Sendable (Row) -> ByteSlice) -> Self {
        Self(name: name) {
            let text = value($1)
            if text.isEmpty { $0.appendNull() } else { $0.append(text: text.buffer) }
        }
    }

    @inline(__always)
    static func string(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Self {
        Self(name: name) { $0.append(value($1)) }
    }

    /// A `text[]` column; the empty set, which most fixes have, is stored as null, because that takes fewer bytes.
    @inline(__always)
    static func codes<Values: OptionSet & Sendable>(
        _ name: String, of all: [(code: StaticString, value: Values)],
        _ value: @escaping @Sendable (Row) -> Values
    ) -> Self where Values.RawValue: FixedWidthInteger, Values.Element == Values {
        Self(name: name) { buffer, row in
            let values = value(row)
            guard !values.isEmpty else { return buffer.appendNull() }
            buffer.appendTextArray(elementCount: values.rawValue.nonzeroBitCount) { buffer in
                for (code, element) in all where values.contains(element) { buffer.append(code) }
            }
        }
    }
}
