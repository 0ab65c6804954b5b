import Domain
import NIOCore
import Support

/// Reads parts of messages without a JSON parser, because clients receive tens of thousands per second.
enum LoadMessage {
    private static let start: StaticString = "{\"type\":\""
    private static let update: StaticString = "{\"type\":\"driver_location\",\"event_id\":\""
    private static let cursor: StaticString = "\"cursor\":"

    static func isUpdate(_ message: UnsafeRawBufferPointer) -> Bool { starts(message, with: update) }

    /// Returns the type of a message; empty if the message does not begin with a type.
    static func type(_ message: UnsafeRawBufferPointer) -> String {
        guard starts(message, with: start) else { return "" }
        return String(
            decoding: message.dropFirst(start.utf8CodeUnitCount).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// Returns an update's event id; `nil` if it is malformed.
    static func event(_ update: UnsafeRawBufferPointer) -> EventID? {
        let text = update.dropFirst(Self.update.utf8CodeUnitCount).prefix { $0 != UInt8(ascii: "\"") }
        return EventID(ByteSlice(UnsafeRawBufferPointer(rebasing: text)))
    }

    /// Returns the member `cursor` of a message, as a JSON array; `nil` if absent.
    static func cursor(of message: UnsafeRawBufferPointer) -> String? {
        let text = String(decoding: message, as: UTF8.self)
        guard let name = text.firstRange(of: "\(cursor)"), let end = text[name.upperBound...].firstIndex(of: "]") else {
            return nil
        }
        return String(text[name.upperBound...end])
    }

    /// Whether a message contains a full snapshot.
    static func hasSnapshot(_ message: UnsafeRawBufferPointer) -> Bool {
        String(decoding: message, as: UTF8.self).contains(#""snapshot":"#)
    }

    private static func starts(_ message: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
        ByteSlice(UnsafeRawBufferPointer(rebasing: message.prefix(text.utf8CodeUnitCount))) == text
    }
}

/// A decoder of the frames that a server sends, which must be unfragmented and unmasked.
///
/// NIO's own decoder would allocate for each frame, and the clients share the machine's cores with the server.
struct ServerFrames {
    /// First byte of a frame: FIN and the opcode.
    enum Kind: UInt8 {
        case text = 0x81
        case close = 0x88
        case ping = 0x89
        case pong = 0x8A
    }

    /// A frame that no measured server sends.
    struct Unexpected: Error, Equatable {
        var firstByte: UInt8
    }

    /// Bytes of an incomplete frame.
    private var rest = ByteBuffer()

    /// Calls `body` with the payload of each frame that `buffer` completes.
    ///
    /// - Throws: ``Unexpected``, after which the caller must close the connection.
    mutating func read(_ buffer: ByteBuffer, _ body: (Kind, UnsafeRawBufferPointer) -> Void) throws(Unexpected) {
        if rest.readableBytes > 0 { rest.writeImmutableBuffer(buffer) } else { rest = buffer }
        while let (start, count) = nextPayload(), rest.writerIndex - start >= count {
            let first = rest.getInteger(at: rest.readerIndex, as: UInt8.self) ?? 0
            guard let kind = Kind(rawValue: first) else { throw Unexpected(firstByte: first) }
            rest.moveReaderIndex(to: start)
            rest.withUnsafeReadableBytes { body(kind, UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest.moveReaderIndex(forwardBy: count)
        }
        // Copies the rest, because the connection reuses its read buffer.
        rest = rest.readableBytes == 0 ? ByteBuffer() : ByteBuffer(bytes: rest.readableBytesView)
    }

    /// Returns index and length of the next frame's payload; `nil` if its header is incomplete.
    private func nextPayload() -> (start: Int, count: Int)? {
        let start = rest.readerIndex + 2
        guard let length: UInt8 = rest.getInteger(at: start - 1) else { return nil }
        switch length {
        case 126: return rest.getInteger(at: start, as: UInt16.self).map { (start + 2, Int($0)) }
        case 127: return rest.getInteger(at: start, as: UInt64.self).map { (start + 8, Int(clamping: $0)) }
        default: return (start, Int(length & 0x7f))
        }
    }

    /// Encodes a client's frame with a mask of zeros, which leaves the payload unchanged.
    static func masked(_ kind: Kind, _ payload: some Collection<UInt8>) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: payload.count + 8)
        frame.writeInteger(kind.rawValue)
        if payload.count < 126 {
            frame.writeInteger(0x80 | UInt8(payload.count))
        } else {
            frame.writeInteger(UInt8(0x80 | 126))
            frame.writeInteger(UInt16(payload.count))
        }
        frame.writeInteger(UInt32(0))
        frame.writeBytes(payload)
        return frame
    }
}
