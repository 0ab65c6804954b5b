/// A growing byte buffer that is reused, so that writing does not allocate in steady state.
///
/// The declarations of this module are `public` instead of `package`, because the compiler (6.3) inlines and
/// specialises only public declarations across modules.
public struct ByteWriter: ~Copyable {
    @usableFromInline var memory: UnsafeMutableRawBufferPointer
    @usableFromInline var used = 0

    /// - Parameter capacity: initial bytes, at least 64; the buffer doubles when it is full.
    public init(capacity: Int = 4096) { memory = .allocate(byteCount: max(capacity, 64), alignment: 8) }

    deinit { memory.deallocate() }

    /// Number of bytes written.
    @inlinable public var count: Int { used }

    /// Number of bytes allocated.
    public var capacity: Int { memory.count }

    /// Removes all bytes and keeps the memory; a buffer of more than `limit` bytes is replaced by a small buffer.
    public mutating func removeAll(keepingAtMost limit: Int = .max) {
        used = 0
        guard memory.count > limit else { return }
        memory.deallocate()
        memory = .allocate(byteCount: max(min(limit, Self.shrunkByteCount), 64), alignment: 8)
    }

    private static let shrunkByteCount = 1 << 16

    /// The bytes written; valid until the next mutation.
    @inlinable public var bytes: ByteSlice { ByteSlice(start: memory.baseAddress, count: used) }

    /// Returns the written bytes in `range`; valid until the next mutation.
    @inlinable @inline(__always)
    public func slice(_ range: Range<Int>) -> ByteSlice { ByteSlice(UnsafeRawBufferPointer(rebasing: memory[range])) }

    /// Appends one byte.
    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        memory[used] = byte
        used += 1
    }

    /// Appends a copy of the bytes.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: ByteSlice) {
        guard let start = bytes.start, bytes.count > 0 else { return }
        reserve(bytes.count)
        memory.baseAddress.unsafelyUnwrapped.advanced(by: used).copyMemory(from: start, byteCount: bytes.count)
        used += bytes.count
    }

    /// Appends a literal.
    @inlinable @inline(__always)
    public mutating func append(_ text: StaticString) { append(ByteSlice(text)) }

    /// Appends a text in UTF-8.
    public mutating func append(_ text: String) { ByteSlice.withBytes(of: text) { append($0) } }

    /// Appends an integer, lowest byte first.
    @inlinable @inline(__always)
    public mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) { store(value.littleEndian) }

    /// Appends an integer, highest byte first.
    @inlinable @inline(__always)
    public mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) { store(value.bigEndian) }

    /// Overwrites four written bytes at `offset`.
    public mutating func overwrite(at offset: Int, bigEndian value: Int32) {
        precondition(offset >= 0 && offset + 4 <= used, "Only written bytes can be overwritten.")
        memory.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self)
    }

    /// Appends the bytes that `fill` writes to a buffer of `maximum` bytes; `fill` returns their number.
    @inlinable @inline(__always)
    public mutating func append(atMost maximum: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        reserve(maximum)
        let filled = fill(UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + maximum]))
        precondition(filled <= maximum, "fill must not write more than maximum bytes.")
        used += filled
    }

    @inlinable @inline(__always)
    mutating func store<Value: FixedWidthInteger>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        memory.storeBytes(of: value, toByteOffset: used, as: Value.self)
        used += MemoryLayout<Value>.size
    }

    @inlinable @inline(__always)
    mutating func reserve(_ additional: Int) {
        if used + additional > memory.count { grow(to: used + additional) }
    }

    @inline(never) @usableFromInline
    mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, memory.count * 2), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[0..<used]))
        memory.deallocate()
        memory = larger
    }
}
