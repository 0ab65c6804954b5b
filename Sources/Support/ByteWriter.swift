/// A growing run of bytes that is reused batch after batch, so that steady state writes without allocating.
///
/// This module's names are public, not `package`, though nothing outside the package sees them: the compiler (6.3)
/// inlines and specialises across modules what is public, and nothing else.
public struct ByteWriter: ~Copyable {
    @usableFromInline var memory: UnsafeMutableRawBufferPointer
    @usableFromInline var used = 0

    /// - Parameter capacity: bytes reserved at once; more are taken, doubling, when needed.
    public init(capacity: Int = 4096) {
        memory = .allocate(byteCount: max(capacity, 64), alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Bytes written so far.
    @inlinable public var count: Int { used }

    /// Bytes of memory held, written or not.
    public var capacity: Int { memory.count }

    /// Forgets what was written and keeps the memory, or little of it where it has grown beyond `limit` bytes.
    public mutating func removeAll(keepingAtMost limit: Int = .max) {
        used = 0
        guard memory.count > limit else { return }
        memory.deallocate()
        memory = .allocate(byteCount: max(min(limit, Self.shrunkByteCount), 64), alignment: 8)
    }

    private static let shrunkByteCount = 1 << 16

    /// The bytes written so far; valid until the next mutation.
    @inlinable public var bytes: ByteSlice { ByteSlice(start: memory.baseAddress, count: used) }

    /// Bytes `range` of what was written; valid until the next mutation.
    @inlinable @inline(__always)
    public func slice(_ range: Range<Int>) -> ByteSlice {
        ByteSlice(UnsafeRawBufferPointer(rebasing: memory[range]))
    }

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

    /// Appends a fixed text.
    @inlinable @inline(__always)
    public mutating func append(_ text: StaticString) { append(ByteSlice(text)) }

    /// Appends a text in UTF-8.
    public mutating func append(_ text: String) { ByteSlice.withBytes(of: text) { append($0) } }

    /// Appends the value's bytes, the lowest first.
    @inlinable @inline(__always)
    public mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) { store(value.littleEndian) }

    /// Appends the value's bytes, the highest first.
    @inlinable @inline(__always)
    public mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) { store(value.bigEndian) }

    /// Writes the value's bytes, the highest first, over those at `offset`.
    public mutating func overwrite(at offset: Int, bigEndian value: Int32) {
        precondition(offset >= 0 && offset + 4 <= used, "Only what was written can be written over.")
        memory.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self)
    }

    /// Hands out room for at most `maximum` bytes; `fill` returns how many it used.
    @inlinable @inline(__always)
    public mutating func append(atMost maximum: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        reserve(maximum)
        let filled = fill(UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + maximum]))
        precondition(filled <= maximum, "A fill stays within the room it asked for.")
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
