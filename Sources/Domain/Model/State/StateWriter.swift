/// Encoder of a state into a buffer for the longest state; checks the free bytes only for lists and texts.
package struct StateWriter: StateCoder {
    package static let isReading = false

    /// Maximum bytes before the fields: the version, the flags and one or two numbers.
    package static let headByteCount = 16

    private let buffer: UnsafeMutableRawBufferPointer
    private var flags: UInt32 = 0
    package private(set) var version: UInt8 = 0
    package private(set) var count = 0

    /// Creates a writer to `buffer`, which must have at least `maximum` bytes, the size of the longest state.
    @inline(__always) package init(_ buffer: UnsafeMutableRawBufferPointer, atMost maximum: Int) {
        precondition(buffer.count >= maximum, "The buffer must hold the longest state.")
        self.buffer = buffer
    }

    /// Returns the maximum encoded bytes of values without lists and texts; compact numbers use up to 10 bytes for 8.
    package static func maximumByteCount<Value>(of type: Value.Type, count: Int = 1) -> Int {
        count * MemoryLayout<Value>.size * 5 / 4
    }

    private func requireRoom(for count: Int) {
        precondition(buffer.count - self.count >= count, "The buffer must hold each list and text.")
    }

    @inline(__always) package mutating func code(_ versions: StateVersions) {
        version = versions.current
        var written = version
        code(&written)
    }

    @inline(__always) package mutating func code<Value: BitwiseCopyable>(plain value: inout Value) {
        buffer.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count &+= MemoryLayout<Value>.size
    }

    @inline(__always) package mutating func code(compact value: inout Int64) {
        var zigzag = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        repeat {
            var byte = UInt8(truncatingIfNeeded: zigzag & 0x7f)
            zigzag >>= 7
            if zigzag != 0 { byte |= 0x80 }
            code(&byte)
        } while zigzag != 0
    }

    package mutating func code(_ text: inout String) {
        text.withUTF8 { bytes in
            var length = Int64(bytes.count)
            code(compact: &length)
            requireRoom(for: bytes.count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
            count += bytes.count
        }
    }

    package mutating func code<Element>(
        _ list: inout [Element], count: Int, initial: Element, _ fields: (inout Element, inout StateWriter) -> Void
    ) {
        requireRoom(for: Self.maximumByteCount(of: Element.self, count: list.count))
        // Copies each element, because changing it in place would copy the whole list if it has another owner.
        for var element in list { fields(&element, &self) }
    }

    @inline(__always) package mutating func beginFlags<Raw>(_ type: Raw.Type) -> StateFlags<Raw> {
        defer {
            flags = 0
            count &+= MemoryLayout<Raw>.size
        }
        return StateFlags(offset: count, outer: flags)
    }

    @inline(__always) package mutating func endFlags<Raw>(_ own: StateFlags<Raw>) {
        buffer.storeBytes(of: Raw(truncatingIfNeeded: flags), toByteOffset: own.offset, as: Raw.self)
        flags = own.outer
    }

    @inline(__always) package mutating func flag(_ value: @autoclosure () -> UInt8, bit: Int, width: Int) -> UInt8 {
        let value = value()
        flags |= UInt32(value) &<< UInt32(bit)
        return value
    }

    @inline(__always) package func require(_ condition: Bool) {}
}
