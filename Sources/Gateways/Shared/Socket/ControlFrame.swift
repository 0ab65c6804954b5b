import NIOCore

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
