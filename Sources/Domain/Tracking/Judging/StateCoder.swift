/// Walks over the fields of a state, writing or reading them.
///
/// One list of fields serves both directions, so that they cannot drift apart. Numbers are little-endian, as on every
/// machine this runs on.
protocol StateCoder {
    mutating func code<Value: BitwiseCopyable>(_ value: inout Value)
    mutating func code(_ value: inout Bool)
    /// A 64-bit number that is mostly near `base`, in as few bytes as its distance needs.
    mutating func code(_ value: inout Int64, near base: Int64)
    /// A time that is mostly near `base`, in milliseconds.
    mutating func code(_ value: inout ShortTime, near base: Int64)
    /// A group of fields, left out while it equals `initial`.
    mutating func code<Group: Equatable>(
        group: inout Group, bit: Int, initial: Group, _ fields: (inout Group, inout Self) -> Void)
}

/// Writes a state into memory that has room for ``DriverState/maximumEncodedByteCount``.
struct StateWriter: StateCoder {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    private(set) var groups: UInt32 = 0

    init(_ memory: UnsafeMutableRawBufferPointer, from start: Int) {
        self.memory = memory
        count = start
    }

    @inline(__always)
    mutating func code<Value: BitwiseCopyable>(_ value: inout Value) {
        memory.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count &+= MemoryLayout<Value>.size
    }

    @inline(__always)
    mutating func code(_ value: inout Bool) {
        var byte: UInt8 = value ? 1 : 0
        code(&byte)
    }

    @inline(__always)
    mutating func code(_ value: inout Int64, near base: Int64) {
        let distance = value &- base
        var rest = UInt64(bitPattern: (distance << 1) ^ (distance >> 63))
        repeat {
            var byte = UInt8(truncatingIfNeeded: rest & 0x7f)
            rest >>= 7
            if rest != 0 { byte |= 0x80 }
            code(&byte)
        } while rest != 0
    }

    @inline(__always)
    mutating func code(_ value: inout ShortTime, near base: Int64) {
        var distance = Int64(Int32(bitPattern: value.bits &- UInt32(truncatingIfNeeded: base)))
        code(&distance, near: 0)
    }

    @inline(__always)
    mutating func code<Group: Equatable>(
        group: inout Group, bit: Int, initial: Group, _ fields: (inout Group, inout StateWriter) -> Void
    ) {
        guard group != initial else { return }
        // Once for the group, not for each of its fields, of which none takes more than five quarters of its size.
        precondition(
            memory.count - count >= MemoryLayout<Group>.size * 5 / 4, "A state fits into the room for the longest one.")
        groups |= 1 << UInt32(bit)
        fields(&group, &self)
    }
}

/// Reads a state back; ``isValid`` turns false when the bytes end early.
struct StateReader: StateCoder {
    private let memory: UnsafeRawBufferPointer
    private let groups: UInt32
    private(set) var count: Int
    private(set) var isValid = true

    init(_ memory: UnsafeRawBufferPointer, from start: Int, groups: UInt32) {
        self.memory = memory
        self.groups = groups
        count = start
    }

    @inline(__always)
    mutating func code<Value: BitwiseCopyable>(_ value: inout Value) {
        guard isValid, count + MemoryLayout<Value>.size <= memory.count else {
            isValid = false
            return
        }
        value = memory.loadUnaligned(fromByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    @inline(__always)
    mutating func code(_ value: inout Bool) {
        var byte: UInt8 = 0
        code(&byte)
        value = byte != 0
    }

    @inline(__always)
    mutating func code(_ value: inout Int64, near base: Int64) {
        var rest: UInt64 = 0
        var shift: UInt64 = 0
        var byte: UInt8 = 0
        repeat {
            code(&byte)
            guard isValid, shift < 70 else {
                isValid = false
                return
            }
            rest |= UInt64(byte & 0x7f) << shift
            shift += 7
        } while byte & 0x80 != 0
        let distance = Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
        value = base &+ distance
    }

    @inline(__always)
    mutating func code(_ value: inout ShortTime, near base: Int64) {
        var distance: Int64 = 0
        code(&distance, near: 0)
        value.bits = UInt32(truncatingIfNeeded: base) &+ UInt32(truncatingIfNeeded: distance)
    }

    @inline(__always)
    mutating func code<Group: Equatable>(
        group: inout Group, bit: Int, initial: Group, _ fields: (inout Group, inout StateReader) -> Void
    ) {
        guard groups & (1 << UInt32(bit)) != 0 else { return }
        fields(&group, &self)
    }
}
