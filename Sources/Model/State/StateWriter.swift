/// Writes a state into room that its owner has reserved for the longest one; allocates nothing.
///
/// That the room is long enough is checked once for the state, and again for each list and text.
package struct StateWriter: StateCoder {
    package static let isReading = false

    /// Room for what stands before the fields, in bytes: the version, the flags and a number or two.
    package static let headByteCount = 16

    private let room: UnsafeMutableRawBufferPointer
    private let form: StateForm
    private var flags: UInt32 = 0
    package private(set) var version: UInt8 = 0
    /// The bytes written so far.
    package private(set) var count = 0

    /// Writes a state that takes at most `maximum` bytes.
    @inline(__always)
    package init(_ room: UnsafeMutableRawBufferPointer, atMost maximum: Int, as form: StateForm) {
        precondition(room.count >= maximum, "A state is written into room for the longest one.")
        self.room = room
        self.form = form
    }

    /// What `count` values take at most, in bytes, but for the lists and texts in them: a compact number takes 10 bytes
    /// instead of 8, and 5 instead of 4.
    package static func maximumByteCount<Value>(of type: Value.Type, count: Int = 1) -> Int {
        count * MemoryLayout<Value>.size * 5 / 4
    }

    private func requireRoom(for count: Int) {
        precondition(room.count - self.count >= count, "A list or text of a state fits into the room left.")
    }

    @inline(__always)
    package mutating func code(_ versions: StateVersions) {
        version = versions.version(as: form)
        var written = version
        code(&written)
    }

    @inline(__always)
    package mutating func code<Value: BitwiseCopyable>(plain value: inout Value) {
        room.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count &+= MemoryLayout<Value>.size
    }

    @inline(__always)
    package mutating func code(compact value: inout Int64) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        repeat {
            var byte = UInt8(truncatingIfNeeded: rest & 0x7f)
            rest >>= 7
            if rest != 0 { byte |= 0x80 }
            code(&byte)
        } while rest != 0
    }

    package mutating func code(_ text: inout String) {
        text.withUTF8 { bytes in
            var length = Int64(bytes.count)
            code(compact: &length)
            requireRoom(for: bytes.count)
            UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
            count += bytes.count
        }
    }

    package mutating func code<Element>(
        _ list: inout [Element], count: Int, initial: Element, _ fields: (inout Element, inout StateWriter) -> Void
    ) {
        requireRoom(for: Self.maximumByteCount(of: Element.self, count: list.count))
        // Copies of the elements, as changing them in place would copy a list that has another owner.
        for var element in list { fields(&element, &self) }
    }

    @inline(__always)
    package mutating func beginFlags<Raw>(_ type: Raw.Type) -> StateFlags<Raw> {
        defer {
            flags = 0
            count &+= MemoryLayout<Raw>.size
        }
        return StateFlags(place: count, outer: flags)
    }

    @inline(__always)
    package mutating func endFlags<Raw>(_ own: StateFlags<Raw>) {
        room.storeBytes(of: Raw(truncatingIfNeeded: flags), toByteOffset: own.place, as: Raw.self)
        flags = own.outer
    }

    @inline(__always)
    package mutating func flag(_ value: @autoclosure () -> UInt8, bit: Int, width: Int) -> UInt8 {
        let value = value()
        flags |= UInt32(value) &<< UInt32(bit)
        return value
    }

    @inline(__always)
    package func require(_ condition: Bool) {}
}
