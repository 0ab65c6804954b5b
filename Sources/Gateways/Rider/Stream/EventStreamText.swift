import Foundation
import NIOCore

/// The text of an event stream, as the HTML standard has it (server-sent events).
enum EventStreamText {
    /// A comment, which clients leave out.
    static let keepAlive = ByteBuffer(string: ":\n\n")

    /// How long the client is to wait before it asks again, when the stream ends.
    static func retry(milliseconds: Int64) -> ByteBuffer { ByteBuffer(string: "retry: \(milliseconds)\n\n") }

    /// An event.
    ///
    /// - Parameters:
    ///   - id: which the client sends when it asks again; `nil` leaves it as it is.
    ///   - type: `nil` for `message`.
    ///   - data: JSON.
    /// - Returns: its fields, and the empty line that ends it.
    static func event(id: String?, type: String?, _ data: ByteBuffer) -> ByteBuffer {
        var text = ByteBuffer()
        text.reserveCapacity(data.readableBytes + 96)
        if let id { text.writeString("id: \(id)\n") }
        if let type { text.writeString("event: \(type)\n") }
        for line in lines(of: data) {
            text.writeString("data: ")
            text.writeImmutableBuffer(line)
            text.writeString("\n")
        }
        text.writeString("\n")
        return text
    }

    /// A line break ends a field; in JSON it can only be a blank between two words.
    private static func lines(of data: ByteBuffer) -> [ByteBuffer] {
        let breaks = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        let hasBreaks = data.withUnsafeReadableBytes { bytes in
            bytes.baseAddress.map { start in breaks.contains { memchr(start, Int32($0), bytes.count) != nil } } ?? false
        }
        guard hasBreaks else { return [data] }
        return data.readableBytesView.split(whereSeparator: breaks.contains).map { ByteBuffer($0) }
    }
}
