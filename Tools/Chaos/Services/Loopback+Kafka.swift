import TestSupport

extension Loopback {
    /// One whole request or response of Kafka's protocol, its four bytes of length included; grows the buffer where needed.
    /// - Returns: its size; `nil` at the end of the connection.
    static func receiveRequest(_ source: Int32, _ buffer: inout [UInt8]) -> Int? {
        guard fill(source, &buffer, 0..<4) else { return nil }
        let length = buffer[..<4].reduce(0) { $0 << 8 | Int($1) }
        if buffer.count < length + 4 { buffer += [UInt8](repeating: 0, count: length + 4 - buffer.count) }
        return fill(source, &buffer, 4..<length + 4) ? length + 4 : nil
    }
}
