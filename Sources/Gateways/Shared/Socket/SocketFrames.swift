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

/// Control frames of RFC 6455 as sent by a server: unmasked, with up to 125 bytes of data.
enum ControlFrame {
    private static let maximumDataBytes = 125

    static let ping = ByteBuffer(bytes: [0x89, 0x00])

    static func pong(_ data: ByteBuffer) -> ByteBuffer {
        let data = data.readableBytesView.prefix(maximumDataBytes)
        var frame = ByteBufferAllocator().buffer(capacity: 2 + data.count)
        frame.writeBytes([0x8A, UInt8(data.count)])
        frame.writeBytes(data)
        return frame
    }

    static func close(_ code: SocketCloseCode) -> ByteBuffer {
        var frame = ByteBuffer(bytes: [0x88, 0x02])
        frame.writeInteger(code.rawValue)
        return frame
    }
}

/// Close codes of WebSockets: registered ones (RFC 6455 and IANA), and those of Sightline from 4000.
enum SocketCloseCode: UInt16, CaseIterable, Sendable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unacceptableData = 1003
    case tooLarge = 1009
    case serviceRestart = 1012
    case tryAgainLater = 1013
    case token = 4401
    case slowReader = 4408
    case rateLimited = 4429
}
