/// Writes numbers little-endian into room that its owner has reserved for the longest of its states.
///
/// Going beyond that room is a broken invariant and stops the program, it never writes outside.
struct ByteStateWriter {
    /// What a compact number takes at most.
    static let maximumCompactCount = 10

    private let start: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private var next: UnsafeMutableRawPointer

    init(_ room: UnsafeMutableRawBufferPointer) {
        guard let start = room.baseAddress else {
            preconditionFailure("A state was to be written into an empty buffer.")
        }
        self.start = start
        end = start + room.count
        next = start
    }

    /// The bytes written so far.
    var count: Int { next - start }

    /// Makes sure that `count` more bytes fit.
    @inline(__always)
    private func require(_ count: Int) {
        precondition(end - next >= count, "A state is longer than its buffer.")
    }

    @inline(__always)
    mutating func append(_ value: UInt8) { append(littleEndian: value) }

    @inline(__always)
    mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(littleEndian value: Value) {
        require(MemoryLayout<Value>.size)
        next.storeBytes(of: value.littleEndian, as: Value.self)
        next += MemoryLayout<Value>.size
    }

    @inline(__always)
    mutating func append(_ value: Double) { append(littleEndian: value.bitPattern) }
    @inline(__always)
    mutating func append(_ value: Float) { append(littleEndian: value.bitPattern) }
    @inline(__always)
    mutating func append(_ value: Timestamp) { append(littleEndian: value.milliseconds) }
    @inline(__always)
    mutating func append(_ value: Coordinate) {
        append(value.latitude)
        append(value.longitude)
    }

    /// Seven bits per byte, low ones first; small magnitudes of either sign take few bytes (zigzag).
    mutating func append(compact value: Int64) {
        require(Self.maximumCompactCount)
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        var place = next
        while rest >= 0x80 {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            place += 1
            rest >>= 7
        }
        place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        next = place + 1
    }

    /// A time as its distance from another one.
    @inline(__always)
    mutating func append(_ time: Timestamp, since base: Timestamp) {
        append(compact: time.milliseconds &- base.milliseconds)
    }

    /// Length, then UTF-8.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            append(compact: Int64(bytes.count))
            require(bytes.count)
            guard let source = bytes.baseAddress else { return }
            next.copyMemory(from: source, byteCount: bytes.count)
            next += bytes.count
        }
    }
}

/// Reads what ``ByteStateWriter`` wrote; once the bytes run out every read gives zero and ``isIntact`` is false.
struct ByteStateReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private(set) var isIntact = true

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether exactly everything has been read.
    var isAtEnd: Bool { isIntact && offset == bytes.count }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value {
        let size = MemoryLayout<Value>.size
        guard isIntact, bytes.count - offset >= size else {
            isIntact = false
            return 0
        }
        defer { offset += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    mutating func compact() -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte: UInt8 = integer()
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1))) }
            shift += 7
        }
        isIntact = false
        return 0
    }

    mutating func string() -> String {
        let count = compact()
        guard isIntact, count >= 0, count <= bytes.count - offset else {
            isIntact = false
            return ""
        }
        defer { offset += Int(count) }
        return String(decoding: bytes[offset..<offset + Int(count)], as: UTF8.self)
    }

    // States are calculated with, so what no state holds ends the reading: times of other millennia, and numbers beyond
    // all distances, speeds and seconds.
    private static let largest = 1e12

    mutating func timestamp(since base: Timestamp) -> Timestamp {
        checked(Timestamp(milliseconds: base.milliseconds &+ compact()))
    }

    mutating func timestamp() -> Timestamp { checked(Timestamp(milliseconds: integer())) }

    private mutating func checked(_ time: Timestamp) -> Timestamp {
        if !time.isReadable { isIntact = false }
        return time.readable
    }

    mutating func double() -> Double {
        let value = Double(bitPattern: integer())
        if !(abs(value) <= Self.largest) { isIntact = false }
        return value
    }

    mutating func float() -> Float {
        let value = Float(bitPattern: integer())
        if !(abs(value) <= Float(Self.largest)) { isIntact = false }
        return value
    }

    mutating func coordinate() -> Coordinate {
        let latitude = double()
        return Coordinate(latitude: latitude, longitude: double())
    }
}
