import Support

/// Buffer of rows in the binary format of `COPY`.
///
/// Format (PostgreSQL documentation, `COPY`, "Binary Format"): numbers in network byte order, fields preceded by their
/// length in bytes, -1 for null. Text is repaired (valid UTF-8, no NUL), because Postgres would permanently reject a
/// batch with one invalid byte. Public, because the compiler inlines only public functions across modules.
public struct CopyBuffer: ~Copyable {
    @usableFromInline var writer: ByteWriter

    /// Milliseconds from the Unix epoch to Postgres' epoch, 2000-01-01.
    private static let postgresEpochMilliseconds: Int64 = 946_684_800_000
    /// Range of stored times, 0001-01-01 to 9999-12-31, which all clients can print.
    private static let storableMilliseconds: ClosedRange<Int64> = -62_135_596_800_000...253_402_214_400_000

    /// - Parameter capacity: initial capacity in bytes; doubles when needed.
    public init(capacity: Int = 1 << 17) { writer = ByteWriter(capacity: capacity) }

    /// The bytes since the last ``removeAll()``; valid until the next mutation.
    public var bytes: UnsafeRawBufferPointer { writer.bytes.buffer }

    /// Empties the buffer and keeps the memory.
    public mutating func removeAll() { writer.removeAll() }

    /// Size of the header that ``appendHeader()`` appends, in bytes.
    public static let headerByteCount = 19

    /// Appends the header: signature, flags and an empty extension.
    public mutating func appendHeader() {
        ([0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00] as [UInt8]).withUnsafeBytes {
            writer.append(ByteSlice($0))
        }
        writer.append(bigEndian: Int32(0))
        writer.append(bigEndian: Int32(0))
    }

    /// Appends the trailer, which ends the copy.
    public mutating func appendTrailer() { writer.append(bigEndian: Int16(-1)) }

    /// Begins a row; exactly `fieldCount` fields follow.
    @inline(__always)
    public mutating func beginRow(fieldCount: Int) { writer.append(bigEndian: Int16(fieldCount)) }

    /// Appends a null.
    @inlinable @inline(__always)
    public mutating func appendNull() { writer.append(bigEndian: Int32(-1)) }

    /// Appends an `integer` (`Int32`) or `bigint` (`Int64`).
    @inlinable @inline(__always)
    public mutating func append<Value: FixedWidthInteger & SignedInteger>(_ value: Value?) {
        guard let value else { return appendNull() }
        writer.append(bigEndian: Int32(MemoryLayout<Value>.size))
        writer.append(bigEndian: value)
    }

    /// Appends a `double precision`.
    @inline(__always)
    public mutating func append(_ value: Double?) {
        guard let value else { return appendNull() }
        writer.append(bigEndian: Int32(8))
        writer.append(bigEndian: value.bitPattern)
    }

    /// Appends a `real`, which has about 7 significant digits.
    @inline(__always)
    public mutating func append(real value: Double?) {
        guard let value else { return appendNull() }
        writer.append(bigEndian: Int32(4))
        writer.append(bigEndian: Float(value).bitPattern)
    }

    /// Appends a `boolean`.
    @inline(__always)
    public mutating func append(_ value: Bool) {
        writer.append(bigEndian: Int32(1))
        writer.append(value ? 1 : 0 as UInt8)
    }

    /// Appends a `timestamptz` from milliseconds since the Unix epoch, clamped to the years 1 to 9999.
    @inline(__always)
    public mutating func append(timestampMilliseconds milliseconds: Int64?) {
        guard let milliseconds else { return appendNull() }
        let storable = min(
            max(milliseconds, Self.storableMilliseconds.lowerBound), Self.storableMilliseconds.upperBound)
        writer.append(bigEndian: Int32(8))
        writer.append(bigEndian: (storable - Self.postgresEpochMilliseconds) * 1000)
    }

    /// Appends a `text` or the label of an enum.
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        writer.append(bigEndian: Int32(text.utf8CodeUnitCount))
        writer.append(text)
    }

    /// Appends a `text`; replaces invalid UTF-8 and removes NUL.
    @inline(__always)
    public mutating func append(text: UnsafeRawBufferPointer) {
        guard Self.isPlain(text) else { return append(repaired: String(decoding: text, as: UTF8.self)) }
        writer.append(bigEndian: Int32(text.count))
        writer.append(ByteSlice(text))
    }

    /// Appends a `text`.
    public mutating func append(_ text: String?) {
        guard var text else { return appendNull() }
        text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a `text[]` without nulls; `write` appends exactly `elementCount` texts.
    public mutating func appendTextArray(elementCount: Int, _ write: (inout CopyBuffer) -> Void) {
        let lengthAt = writer.count
        writer.append(bigEndian: Int32(0))
        let start = writer.count
        writer.append(bigEndian: Int32(elementCount == 0 ? 0 : 1))  // dimensions
        writer.append(bigEndian: Int32(0))  // no nulls
        writer.append(bigEndian: Int32(25))  // the type of the elements: text
        if elementCount > 0 {
            writer.append(bigEndian: Int32(elementCount))
            writer.append(bigEndian: Int32(1))  // the first index
            write(&self)
        }
        writer.overwrite(at: lengthAt, bigEndian: Int32(writer.count - start))
    }

    /// Returns whether the bytes are ASCII without NUL; checks eight bytes per step.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let hasZero = (word &- 0x0101_0101_0101_0101) & ~word
            guard (word | hasZero) & 0x8080_8080_8080_8080 == 0 else { return false }
            index += 8
        }
        while index < text.count {
            guard text[index] != 0, text[index] < 0x80 else { return false }
            index += 1
        }
        return true
    }

    @inline(never)
    private mutating func append(repaired text: String) {
        var text = text
        if text.utf8.contains(0) { text.unicodeScalars.removeAll { $0.value == 0 } }
        text.withUTF8 {
            writer.append(bigEndian: Int32($0.count))
            writer.append(ByteSlice(UnsafeRawBufferPointer($0)))
        }
    }
}
