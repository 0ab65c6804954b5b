/// Writes numbers little-endian into a byte array that is reused.
struct ByteStateWriter {
    private(set) var bytes: [UInt8]

    init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    mutating func append(_ value: UInt8) { bytes.append(value) }

    mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ value: Double) { append(littleEndian: value.bitPattern) }
    mutating func append(_ value: Float) { append(littleEndian: value.bitPattern) }
    mutating func append(_ value: Timestamp) { append(littleEndian: value.milliseconds) }
    mutating func append(_ value: Coordinate) {
        append(value.latitude)
        append(value.longitude)
    }

    /// Seven bits per byte, low ones first; small magnitudes of either sign take few bytes (zigzag).
    mutating func append(compact value: Int64) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A time as its distance from another one.
    mutating func append(_ time: Timestamp, since base: Timestamp) {
        append(compact: time.milliseconds &- base.milliseconds)
    }

    /// Length, then UTF-8.
    mutating func append(_ text: String) {
        append(compact: Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Keeps the memory and forgets the content.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
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

    mutating func timestamp(since base: Timestamp) -> Timestamp {
        Timestamp(milliseconds: base.milliseconds &+ compact())
    }

    mutating func double() -> Double { Double(bitPattern: integer()) }
    mutating func float() -> Float { Float(bitPattern: integer()) }
    mutating func timestamp() -> Timestamp { Timestamp(milliseconds: integer()) }
    mutating func coordinate() -> Coordinate {
        let latitude = double()
        return Coordinate(latitude: latitude, longitude: double())
    }
}
