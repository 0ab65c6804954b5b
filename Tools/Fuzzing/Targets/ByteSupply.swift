import Support

/// Takes an input apart into numbers and runs of bytes; zeros come when it is used up.
struct ByteSupply {
    private let bytes: ByteSlice
    private var cursor = 0

    init(_ bytes: ByteSlice) { self.bytes = bytes }

    var isEmpty: Bool { cursor >= bytes.count }

    mutating func byte() -> UInt8 {
        guard cursor < bytes.count else { return 0 }
        cursor += 1
        return bytes[cursor - 1]
    }

    mutating func short() -> Int16 { Int16(bitPattern: UInt16(byte()) | UInt16(byte()) << 8) }

    /// Any number, small ones in few bytes.
    mutating func number() -> Int64 {
        let kind = byte()
        guard kind >= 0xF0 else { return 1_770_000_000_000 + Int64(Int8(bitPattern: kind)) * 1000 }
        var value: UInt64 = 0
        for shift in 0..<8 { value |= UInt64(byte()) << UInt64(8 * shift) }
        return Int64(bitPattern: value)
    }

    /// Mostly a little after `last`, at times anything.
    mutating func time(after last: Timestamp) -> Timestamp {
        let step = byte()
        if step == 0xFF { return Timestamp(milliseconds: number()) }
        return Timestamp(milliseconds: last.milliseconds &+ Int64(step) * (step >= 0xF0 ? 10_000 : 50))
    }

    /// A run of bytes as long as its first one says.
    mutating func run() -> [UInt8] {
        let count = Int(byte())
        return (0..<min(count, bytes.count - cursor)).map { _ in byte() }
    }
}
