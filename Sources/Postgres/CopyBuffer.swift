/// Rows in the binary format of `COPY`, in memory that is reused batch after batch.
///
/// Format: PostgreSQL documentation, `COPY`, "Binary Format": all numbers in network byte order, every field preceded
/// by its length in bytes, -1 for null. Text is made storable on the way (valid UTF-8, no NUL), as one bad byte would
/// otherwise make Postgres refuse the batch it came in for ever.
package struct CopyBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    /// Bytes written since the last ``removeAll()``.
    package private(set) var count = 0

    /// Milliseconds from the Unix epoch to 2000-01-01, where Postgres counts from.
    private static let postgresEpochMilliseconds: Int64 = 946_684_800_000
    /// 0001-01-01 and 9999-12-31: what `timestamptz` holds and every client can print.
    private static let storableMilliseconds: ClosedRange<Int64> = -62_135_596_800_000...253_402_214_400_000

    package init(capacity: Int = 1 << 17) {
        memory = .allocate(byteCount: max(capacity, 64), alignment: 8)
    }

    deinit { memory.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[0..<count]) }

    package mutating func removeAll() { count = 0 }

    /// What comes before the first row: signature, flags and an empty extension.
    package mutating func appendHeader() {
        for byte in [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00] as [UInt8] { appendByte(byte) }
        append(bigEndian: Int32(0))
        append(bigEndian: Int32(0))
    }

    /// What comes after the last row.
    package mutating func appendTrailer() { append(bigEndian: Int16(-1)) }

    /// Begins a row; exactly `fieldCount` fields follow.
    @inline(__always)
    package mutating func beginRow(fieldCount: Int) { append(bigEndian: Int16(fieldCount)) }

    @inline(__always)
    package mutating func appendNull() { append(bigEndian: Int32(-1)) }

    // One for each width, not one for all: nobody specialises a generic one for callers in other modules.

    /// An `integer`.
    @inline(__always)
    package mutating func append(_ value: Int32?) {
        guard let value else { return appendNull() }
        append(bigEndian: Int32(4))
        append(bigEndian: value)
    }

    /// A `bigint`.
    @inline(__always)
    package mutating func append(_ value: Int64?) {
        guard let value else { return appendNull() }
        append(bigEndian: Int32(8))
        append(bigEndian: value)
    }

    /// A `double precision`.
    @inline(__always)
    package mutating func append(_ value: Double?) {
        guard let value else { return appendNull() }
        append(bigEndian: Int32(8))
        append(bigEndian: value.bitPattern)
    }

    /// A `real`; precise to 7 digits.
    @inline(__always)
    package mutating func append(real value: Double?) {
        guard let value else { return appendNull() }
        append(bigEndian: Int32(4))
        append(bigEndian: Float(value).bitPattern)
    }

    @inline(__always)
    package mutating func append(_ value: Bool) {
        append(bigEndian: Int32(1))
        appendByte(value ? 1 : 0)
    }

    /// A `timestamptz` from milliseconds since the Unix epoch; times before year 1 or after 9999 become those bounds.
    @inline(__always)
    package mutating func append(timestampMilliseconds milliseconds: Int64?) {
        guard let milliseconds else { return appendNull() }
        let storable = min(
            max(milliseconds, Self.storableMilliseconds.lowerBound), Self.storableMilliseconds.upperBound)
        append(bigEndian: Int32(8))
        append(bigEndian: (storable - Self.postgresEpochMilliseconds) * 1000)
    }

    /// A `text`, or an enum by its label.
    @inline(__always)
    package mutating func append(_ text: StaticString) {
        append(bigEndian: Int32(text.utf8CodeUnitCount))
        append(raw: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// A `text` from bytes that should be UTF-8; what is not, and NUL, is repaired.
    @inline(__always)
    package mutating func append(text: UnsafeRawBufferPointer) {
        guard Self.isPlain(text) else { return append(repaired: String(decoding: text, as: UTF8.self)) }
        append(bigEndian: Int32(text.count))
        append(raw: text)
    }

    package mutating func append(_ text: String?) {
        guard var text else { return appendNull() }
        text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
    }

    /// A `text[]` without nulls; `write` appends exactly `elementCount` texts.
    package mutating func appendTextArray(elementCount: Int, _ write: (inout CopyBuffer) -> Void) {
        let lengthAt = count
        append(bigEndian: Int32(0))
        let start = count
        append(bigEndian: Int32(elementCount == 0 ? 0 : 1))  // dimensions
        append(bigEndian: Int32(0))  // no nulls
        append(bigEndian: Int32(25))  // the type of the elements: text
        if elementCount > 0 {
            append(bigEndian: Int32(elementCount))
            append(bigEndian: Int32(1))  // the first index
            write(&self)
        }
        withUnsafeBytes(of: Int32(count - start).bigEndian) { length in
            UnsafeMutableRawBufferPointer(rebasing: memory[lengthAt..<lengthAt + 4]).copyMemory(from: length)
        }
    }

    /// Whether the bytes are ASCII without NUL, eight at a time.
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
            append(bigEndian: Int32($0.count))
            append(raw: UnsafeRawBufferPointer($0))
        }
    }

    @inline(__always)
    private mutating func appendByte(_ byte: UInt8) {
        reserve(1)
        memory[count] = byte
        count += 1
    }

    @inline(__always)
    private mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
        reserve(MemoryLayout<Value>.size)
        memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    @inline(__always)
    private mutating func append(raw bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        memory.baseAddress.unsafelyUnwrapped.advanced(by: count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    private mutating func reserve(_ additional: Int) {
        if count + additional > memory.count { grow(to: count + additional) }
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, memory.count * 2), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[0..<count]))
        memory.deallocate()
        memory = larger
    }
}
