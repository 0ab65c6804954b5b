/// Decoder of a state from bytes that may be damaged; after the first invalid field, ``hasReadAll`` is false.
package struct StateReader: StateCoder {
    package static let isReading = true

    private let bytes: UnsafeRawBufferPointer
    private var flags: UInt32 = 0
    private var offset = 0
    private var isIntact = true
    package private(set) var version: UInt8 = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether all bytes were read and valid.
    package var hasReadAll: Bool { isIntact && offset == bytes.count }
    /// The bytes after the fields that were read; `nil` if a field was invalid.
    package var rest: UnsafeRawBufferPointer? { isIntact ? UnsafeRawBufferPointer(rebasing: bytes[offset...]) : nil }

    @inline(__always) package mutating func code(_ versions: StateVersions) {
        var stored: UInt8 = 0
        code(&stored)
        require(versions.problem(of: stored) == nil)
        version = stored
    }

    @inline(__always) package mutating func code<Value: BitwiseCopyable>(plain value: inout Value) {
        let size = MemoryLayout<Value>.size
        require(bytes.count - offset >= size)
        guard isIntact else { return }
        value = bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
        offset += size
    }

    @inline(__always) package mutating func code(compact value: inout Int64) {
        var zigzag: UInt64 = 0
        var shift: UInt64 = 0
        var byte: UInt8 = 0
        repeat {
            code(&byte)
            require(shift < 64)
            guard isIntact else { return }
            zigzag |= UInt64(byte & 0x7f) << shift
            shift += 7
        } while byte & 0x80 != 0
        value = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }

    package mutating func code(_ text: inout String) {
        var length: Int64 = 0
        code(compact: &length)
        require((0...Int64(bytes.count - offset)).contains(length))
        guard isIntact else { return }
        text = String(decoding: bytes[offset..<offset + Int(length)], as: UTF8.self)
        offset += Int(length)
    }

    package mutating func code<Element>(
        _ list: inout [Element], count: Int, initial: Element, _ fields: (inout Element, inout StateReader) -> Void
    ) {
        while isIntact, list.count < count {
            var element = initial
            fields(&element, &self)
            list.append(element)
        }
    }

    @inline(__always) package mutating func beginFlags<Raw>(_ type: Raw.Type) -> StateFlags<Raw> {
        let own = StateFlags<Raw>(offset: offset, outer: flags)
        var stored: Raw = 0
        code(&stored)
        flags = UInt32(truncatingIfNeeded: stored)
        return own
    }

    @inline(__always) package mutating func endFlags<Raw>(_ own: StateFlags<Raw>) { flags = own.outer }

    @inline(__always) package mutating func flag(_ value: @autoclosure () -> UInt8, bit: Int, width: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: flags &>> UInt32(bit)) & (1 << UInt8(width) - 1)
    }

    @inline(__always) package mutating func require(_ condition: Bool) {
        if !condition { isIntact = false }
    }
}
