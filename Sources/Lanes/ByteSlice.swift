#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Bytes borrowed from somebody else's memory: a key or payload still inside the client library's buffer.
///
/// A slice does not keep its memory alive. It is valid for the duration of the call that hands it over, and whoever
/// wants the bytes for longer copies them. This is what lets a fix travel from the broker's buffer to the output without one
/// allocation.
package struct ByteSlice: @unchecked Sendable {
    // @unchecked: an immutable view; the rule above keeps it on the thread that owns the memory.
    package let start: UnsafeRawPointer?
    package let count: Int

    package static let empty = ByteSlice(start: nil, count: 0)

    @inline(__always)
    package init(start: UnsafeRawPointer?, count: Int) {
        self.start = start
        self.count = count
    }

    @inline(__always)
    package init(_ buffer: UnsafeRawBufferPointer) {
        start = buffer.baseAddress
        count = buffer.count
    }

    package var isEmpty: Bool { count == 0 }

    @inline(__always)
    package var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    @inline(__always)
    package subscript(index: Int) -> UInt8 { buffer[index] }

    /// A copy as text; invalid UTF-8 is repaired with replacement characters.
    package var string: String { String(decoding: buffer, as: UTF8.self) }

    /// Calls `body` with the bytes of `text`.
    package static func withBytes<Result>(of text: String, _ body: (ByteSlice) throws -> Result) rethrows -> Result {
        var copy = text
        return try copy.withUTF8 { try body(ByteSlice(UnsafeRawBufferPointer($0))) }
    }
}

extension ByteSlice: Hashable {
    package static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.count == right.count && left.holdsSameBytes(as: right.start)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes: buffer) }

    /// Whether the bytes are those of `text`.
    package static func == (left: ByteSlice, right: StaticString) -> Bool {
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
    /// FNV-1a with a multiply-xor finish, for what is stored or compared across restarts; no defence against chosen
    /// collisions.
    package var stableHash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        hash ^= hash >> 32
        hash = hash &* 0xd6e8_feb8_6659_fd93
        return hash ^ (hash >> 32)
    }
}
