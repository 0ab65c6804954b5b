/// Reads commands from the bytes of a connection: arrays of byte strings.
struct RedisRequestReader {
    struct ProtocolError: Error {}

    private var buffer: [UInt8] = []
    /// Start of the first command that has not been returned.
    private var start = 0

    mutating func add(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Returns the next command; `nil` if its bytes have not all arrived.
    mutating func next() throws(ProtocolError) -> [[UInt8]]? {
        var position = start
        guard let count = try number(after: UInt8(ascii: "*"), at: &position) else { return nil }
        guard count > 0 else { throw ProtocolError() }
        var arguments: [[UInt8]] = []
        arguments.reserveCapacity(count)
        for _ in 0..<count {
            guard let length = try number(after: UInt8(ascii: "$"), at: &position) else { return nil }
            guard length >= 0 else { throw ProtocolError() }
            guard position + length + 2 <= buffer.count else { return nil }
            arguments.append(Array(buffer[position..<position + length]))
            position += length + 2
        }
        start = position
        return arguments
    }

    /// Reads a line with a number; `nil` if it is incomplete.
    private func number(after mark: UInt8, at position: inout Int) throws(ProtocolError) -> Int? {
        guard position < buffer.count else { return nil }
        guard buffer[position] == mark else { throw ProtocolError() }
        guard let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        guard end > position + 1 else { throw ProtocolError() }
        let digits = String(decoding: buffer[position + 1..<end - 1], as: UTF8.self)
        guard let number = Int(digits), number <= 1 << 29 else { throw ProtocolError() }
        position = end + 1
        return number
    }
}
