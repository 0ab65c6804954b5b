import Foundation
import NIOCore

/// Encodes server-sent events (HTML standard, section 9.2).
enum EventStreamText {
    /// A comment, which clients ignore.
    static let keepAlive = ByteBuffer(string: ":\n\n")

    /// Sets the client's delay before it reconnects.
    static func retry(milliseconds: Int64) -> ByteBuffer { ByteBuffer(string: "retry: \(milliseconds)\n\n") }

    /// Encodes an event.
    ///
    /// - Parameters:
    ///   - id: sent back by the client as `Last-Event-ID`; `nil` keeps the previous id.
    ///   - type: `nil` for the default type, `message`.
    ///   - data: JSON.
    /// - Returns: the fields, ended by an empty line.
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

    /// Splits at line breaks, which end a field; in JSON they are whitespace between tokens.
    private static func lines(of data: ByteBuffer) -> [ByteBuffer] {
        let breaks = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        let hasBreaks = data.withUnsafeReadableBytes { bytes in
            bytes.baseAddress.map { start in breaks.contains { memchr(start, Int32($0), bytes.count) != nil } } ?? false
        }
        guard hasBreaks else { return [data] }
        return data.readableBytesView.split(whereSeparator: breaks.contains).map { ByteBuffer($0) }
    }
}
