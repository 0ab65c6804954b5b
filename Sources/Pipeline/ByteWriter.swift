/// A growing run of bytes that is reused batch after batch, so that steady state writes without allocating.
package struct ByteWriter: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    package private(set) var count = 0

    /// - Parameter capacity: bytes reserved at once; more are taken, doubling, when needed.
    package init(capacity: Int = 4096) {
        memory = .allocate(byteCount: max(capacity, 64), alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Bytes of memory held, written or not.
    package var capacity: Int { memory.count }

    /// Forgets what was written and keeps the memory, or little of it where it has grown beyond `limit` bytes.
    package mutating func removeAll(keepingAtMost limit: Int = .max) {
        count = 0
        guard memory.count > limit else { return }
        memory.deallocate()
        memory = .allocate(byteCount: max(min(limit, Self.shrunkByteCount), 64), alignment: 8)
    }

    private static let shrunkByteCount = 1 << 16

    /// Drops everything after the first `newCount` bytes.
    package mutating func truncate(to newCount: Int) {
        precondition(newCount <= count, "Only what was written can be cut off.")
        count = newCount
    }

    /// The bytes written so far; valid until the next mutation.
    package var bytes: ByteSlice { ByteSlice(start: memory.baseAddress, count: count) }

    /// Bytes `range` of what was written; valid until the next mutation.
    @inline(__always)
    package func slice(_ range: Range<Int>) -> ByteSlice {
        ByteSlice(UnsafeRawBufferPointer(rebasing: memory[range]))
    }

    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        memory[count] = byte
        count += 1
    }

    @inline(__always)
    package mutating func append(_ bytes: ByteSlice) {
        guard let start = bytes.start, bytes.count > 0 else { return }
        reserve(bytes.count)
        memory.baseAddress.unsafelyUnwrapped.advanced(by: count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    package mutating func append(_ text: StaticString) {
        append(ByteSlice(start: UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount))
    }

    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(ByteSlice(UnsafeRawBufferPointer($0))) }
    }

    // Each appends the value's bytes, little-endian. One by one, because nobody specialises generic code across
    // modules.

    package mutating func append(littleEndian value: UInt64) { store(value.littleEndian) }
    package mutating func append(littleEndian value: Int64) { store(value.littleEndian) }
    package mutating func append(littleEndian value: UInt32) { store(value.littleEndian) }
    package mutating func append(littleEndian value: Int32) { store(value.littleEndian) }
    package mutating func append(littleEndian value: UInt16) { store(value.littleEndian) }

    @inline(__always)
    private mutating func store<Value: BitwiseCopyable>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        memory.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    /// Hands out room for at most `maximum` bytes; `fill` returns how many it used.
    @inline(__always)
    package mutating func append(atMost maximum: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        reserve(maximum)
        let used = fill(UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + maximum]))
        precondition(used <= maximum, "A fill stays within the room it asked for.")
        count += used
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
