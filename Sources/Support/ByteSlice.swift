import Glibc

/// Borrowed bytes, such as a key or payload in the client library's buffer.
///
/// A slice does not keep its memory alive, so it is valid only during the call that receives it. Borrowing avoids
/// allocations between the consumer's buffer and the output.
public struct ByteSlice: @unchecked Sendable {
    // @unchecked, because a slice is immutable and stays on the thread that owns its memory.
    /// Address of the first byte; `nil` only if there are no bytes.
    public let start: UnsafeRawPointer?
    /// Number of bytes.
    public let count: Int

    /// A slice without bytes.
    @inlinable public static var empty: ByteSlice { ByteSlice(start: nil, count: 0) }

    /// Borrows the `count` bytes at `start`.
    @inlinable @inline(__always)
    public init(start: UnsafeRawPointer?, count: Int) {
        self.start = start
        self.count = count
    }

    /// Borrows the bytes of `buffer`.
    @inlinable @inline(__always)
    public init(_ buffer: UnsafeRawBufferPointer) {
        start = buffer.baseAddress
        count = buffer.count
    }

    /// Borrows the bytes of a literal, which are always valid.
    @inlinable @inline(__always)
    public init(_ text: StaticString) {
        start = UnsafeRawPointer(text.utf8Start)
        count = text.utf8CodeUnitCount
    }

    /// Whether there are no bytes.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The bytes as a buffer.
    @inlinable @inline(__always)
    public var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// The byte at `index`.
    @inlinable @inline(__always)
    public subscript(index: Int) -> UInt8 { buffer[index] }

    /// The bytes in `range`.
    @inlinable
    public subscript(range: Range<Int>) -> ByteSlice { ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[range])) }

    /// A copy as text; invalid UTF-8 becomes replacement characters.
    public var string: String { String(decoding: buffer, as: UTF8.self) }

    /// Calls `body` with the bytes of `text`.
    public static func withBytes<Result>(of text: String, _ body: (ByteSlice) throws -> Result) rethrows -> Result {
        var copy = text
        return try copy.withUTF8 { try body(ByteSlice(UnsafeRawBufferPointer($0))) }
    }
}

extension ByteSlice: Hashable {
    /// Compares the bytes.
    public static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.count == right.count && left.equals(right.start)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: buffer) }

    /// Compares the bytes with a literal.
    public static func == (left: ByteSlice, right: StaticString) -> Bool {
        left.count == right.utf8CodeUnitCount && left.equals(right.utf8Start)
    }

    @inline(__always) private func equals(_ other: UnsafeRawPointer?) -> Bool {
        guard count > 0, let start, let other else { return count == 0 }
        return memcmp(start, other, count) == 0
    }
}

extension ByteSlice {
    /// A 64-bit hash that is equal in every process and on every machine.
    ///
    /// Multiplies and folds eight bytes per step. Not resistant to chosen collisions; not used in stored data.
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

    @inline(__always) private static func word(_ start: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    }

    /// Combines both halves of the product, so that every bit of `value` affects the low bits.
    @inline(__always) private static func fold(_ value: UInt64, _ multiplier: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: multiplier)
        return product.high ^ product.low
    }
}

extension ByteSlice {
    /// Returns whether the bytes end with `text`.
    public func hasSuffix(_ text: StaticString) -> Bool {
        guard let start, count >= text.utf8CodeUnitCount else { return false }
        return ByteSlice(start: start + (count - text.utf8CodeUnitCount), count: text.utf8CodeUnitCount) == text
    }

    /// Returns whether the bytes contain `text`, which must not be empty.
    public func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard var next = start else { return false }
        var rest = count
        while rest >= length, let found = memchr(next, Int32(text.utf8Start[0]), rest - length + 1) {
            if memcmp(found, text.utf8Start, length) == 0 { return true }
            rest -= UnsafeRawPointer(found) - next + 1
            next = UnsafeRawPointer(found) + 1
        }
        return false
    }

    /// Returns the bytes after `prefix`; `nil` if the slice does not begin with `prefix`.
    public func dropping(prefix: StaticString) -> ByteSlice? {
        let length = prefix.utf8CodeUnitCount
        guard let start, count >= length, ByteSlice(start: start, count: length) == prefix else { return nil }
        return ByteSlice(start: start + length, count: count - length)
    }

    /// The bytes without a leading UTF-8 byte order mark.
    public var withoutByteOrderMark: ByteSlice { dropping(prefix: "\u{FEFF}") ?? self }
}
