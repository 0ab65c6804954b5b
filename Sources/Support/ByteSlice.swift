import Glibc

/// Bytes borrowed from memory that another object owns: a key or payload still inside the client library's buffer.
///
/// A slice does not keep its memory alive. It is valid during the call that passes it; a caller that needs the
/// bytes for longer copies them. This is what lets a fix travel from the broker's buffer to the output
/// without one allocation.
public struct ByteSlice: @unchecked Sendable {
    // @unchecked: an immutable view; the rule above keeps it on the thread that owns the memory.
    /// The first byte; `nil` only where there is none.
    public let start: UnsafeRawPointer?
    /// Number of bytes.
    public let count: Int

    /// No bytes.
    @inlinable public static var empty: ByteSlice { ByteSlice(start: nil, count: 0) }

    /// The `count` bytes at `start`.
    @inlinable @inline(__always)
    public init(start: UnsafeRawPointer?, count: Int) {
        self.start = start
        self.count = count
    }

    /// The bytes of `buffer`.
    @inlinable @inline(__always)
    public init(_ buffer: UnsafeRawBufferPointer) {
        start = buffer.baseAddress
        count = buffer.count
    }

    /// The bytes of a fixed text, which are always valid.
    @inlinable @inline(__always)
    public init(_ text: StaticString) {
        start = UnsafeRawPointer(text.utf8Start)
        count = text.utf8CodeUnitCount
    }

    /// Whether there is no byte.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The bytes as the standard library's buffer.
    @inlinable @inline(__always)
    public var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// The byte at `index`, from 0.
    @inlinable @inline(__always)
    public subscript(index: Int) -> UInt8 { buffer[index] }

    /// The bytes in `range`, from 0.
    @inlinable
    public subscript(range: Range<Int>) -> ByteSlice { ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[range])) }

    /// A copy as text; invalid UTF-8 is repaired with replacement characters.
    public var string: String { String(decoding: buffer, as: UTF8.self) }

    /// Calls `body` with the bytes of `text`.
    public static func withBytes<Result>(of text: String, _ body: (ByteSlice) throws -> Result) rethrows -> Result {
        var copy = text
        return try copy.withUTF8 { try body(ByteSlice(UnsafeRawBufferPointer($0))) }
    }
}

extension ByteSlice: Hashable {
    /// Whether both have the same bytes, wherever they lie.
    public static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.count == right.count && left.holdsSameBytes(as: right.start)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: buffer) }

    /// Whether the bytes are those of `text`.
    public static func == (left: ByteSlice, right: StaticString) -> Bool {
        left.count == right.utf8CodeUnitCount && left.holdsSameBytes(as: right.utf8Start)
    }

    @inline(__always)
    private func holdsSameBytes(as other: UnsafeRawPointer?) -> Bool {
        guard count > 0, let start, let other else { return count == 0 }
        return memcmp(start, other, count) == 0
    }
}

extension ByteSlice {
    /// A 64-bit hash that is the same in every process and on every machine.
    ///
    /// Eight bytes at a time, multiplied and folded, for tables that hold keys of our own choosing; no defence against
    /// chosen collisions. Nothing stored depends on it.
    public var stableHash: UInt64 {
        let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15
        var hash = Self.fold(UInt64(truncatingIfNeeded: count) ^ 0xcbf2_9ce4_8422_2325, multiplier)
        guard let start else { return hash }
        var offset = 0
        while offset + 8 <= count {
            hash = Self.fold(hash ^ Self.word(start + offset), multiplier)
            offset += 8
        }
        guard offset < count else { return hash }
        if count >= 8 { return Self.fold(hash ^ Self.word(start + (count - 8)), multiplier) }
        var rest: UInt64 = 0
        for index in 0..<count { rest = rest << 8 | UInt64(buffer[index]) }
        return Self.fold(hash ^ rest, multiplier)
    }

    @inline(__always)
    private static func word(_ start: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    }

    /// Both halves of the product, so that every bit of `value` reaches the low ones.
    @inline(__always)
    private static func fold(_ value: UInt64, _ multiplier: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: multiplier)
        return product.high ^ product.low
    }
}
