import Domain
import Postgres
import Support

/// Values of columns, one function per Postgres type; `nil` is stored as null.
extension CopyBuffer {
    @inline(__always)
    mutating func append(timestamp time: Timestamp?) { append(timestampMilliseconds: time?.milliseconds) }
    @inline(__always)
    mutating func append(bigint number: Int64?) { append(number) }
    @inline(__always)
    mutating func append(integer number: Int?) { append(number.map { Int32(clamping: $0) }) }
    @inline(__always)
    mutating func append(smallint number: Int?) { append(number.map { Int16(clamping: $0) }) }
    @inline(__always)
    mutating func append(double number: Double?) { append(number) }
    @inline(__always)
    mutating func append(boolean value: Bool?) { if let value { append(value) } else { appendNull() } }
    /// Appends a `text` or enumeration value.
    @inline(__always)
    mutating func append(code: StaticString?) { if let code { append(code) } else { appendNull() } }
    @inline(__always)
    mutating func append(text: ByteSlice) { append(text: text.buffer) }
    /// Appends a `text`, or null if the text is empty.
    @inline(__always)
    mutating func append(textOrNull text: ByteSlice) { if text.isEmpty { appendNull() } else { append(text: text) } }
    @inline(__always)
    mutating func append(string: String?) { append(string) }

    /// Appends a `text[]`, or null for the empty set, which most fixes have, to save space.
    @inline(__always)
    mutating func append<Codes: OptionSet>(codes: Codes, of all: [(code: StaticString, value: Codes)])
    where Codes.RawValue: FixedWidthInteger, Codes.Element == Codes {
        guard !codes.isEmpty else { return appendNull() }
        appendTextArray(elementCount: codes.rawValue.nonzeroBitCount) { buffer in
            for (code, element) in all where codes.contains(element) { buffer.append(code) }
        }
    }
}
