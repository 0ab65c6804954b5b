import NIOCore

/// Text frames of RFC 6455 as sent by a server: unfragmented and unmasked.
enum WebSocketText {
    private static let finalText: UInt8 = 0x81

    static func frame(_ message: ByteBuffer) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: message.readableBytes + 10)
        frame.writeInteger(finalText)
        switch message.readableBytes {
        case 0..<126: frame.writeInteger(UInt8(message.readableBytes))
        case 126...0xFFFF:
            frame.writeInteger(UInt8(126))
            frame.writeInteger(UInt16(message.readableBytes))
        default:
            frame.writeInteger(UInt8(127))
            frame.writeInteger(UInt64(message.readableBytes))
        }
        frame.writeImmutableBuffer(message)
        return frame
    }
}
