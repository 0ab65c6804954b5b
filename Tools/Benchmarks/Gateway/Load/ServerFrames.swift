import NIOCore

/// Takes apart the frames that a server sends: in one piece, without a mask.
///
/// A client of NIO's would make a buffer and an array of each frame, and the benchmark shares the machine's cores with
/// what it measures.
struct ServerFrames {
    /// What a frame is.
    enum Kind: UInt8 {
        case text = 0x81
        case close = 0x88
        case ping = 0x89
        case pong = 0x8A
    }

    /// A frame that no server of the benchmark sends.
    struct Unexpected: Error, Equatable {
        var firstByte: UInt8
    }

    /// Bytes of a frame that is not whole yet.
    private var rest = ByteBuffer()

    /// Hands over the frames that `buffer` completes; their bytes are valid during the call.
    ///
    /// - Throws: ``Unexpected``; the connection is of no use then.
    mutating func take(_ buffer: ByteBuffer, _ body: (Kind, UnsafeRawBufferPointer) -> Void) throws(Unexpected) {
        guard rest.readableBytes > 0 else {
            rest = buffer
            return try split(body)
        }
        rest.writeImmutableBuffer(buffer)
        try split(body)
    }

    private mutating func split(_ body: (Kind, UnsafeRawBufferPointer) -> Void) throws(Unexpected) {
        let result = rest.withUnsafeReadableBytes { bytes in Self.split(bytes, body) }
        rest.moveReaderIndex(forwardBy: try result.get())
        // A part of a frame is kept apart from the buffer of the whole read, which the connection uses again.
        rest = rest.readableBytes == 0 ? ByteBuffer() : ByteBuffer(bytes: rest.readableBytesView)
    }

    /// - Returns: how many bytes the whole frames have.
    private static func split(
        _ bytes: UnsafeRawBufferPointer, _ body: (Kind, UnsafeRawBufferPointer) -> Void
    ) -> Result<Int, Unexpected> {
        var begin = 0
        while let (start, count) = payload(UnsafeRawBufferPointer(rebasing: bytes[begin...])) {
            let end = begin + start + count
            guard end <= bytes.count else { break }
            guard let kind = Kind(rawValue: bytes[begin]) else { return .failure(Unexpected(firstByte: bytes[begin])) }
            body(kind, UnsafeRawBufferPointer(rebasing: bytes[begin + start..<end]))
            begin = end
        }
        return .success(begin)
    }

    /// Where the payload of the first frame begins, and its length; `nil` before the header is whole.
    private static func payload(_ bytes: UnsafeRawBufferPointer) -> (start: Int, count: Int)? {
        guard bytes.count >= 2 else { return nil }
        let lengthBytes = bytes[1] == 127 ? 8 : bytes[1] == 126 ? 2 : 0
        guard lengthBytes > 0 else { return (2, Int(bytes[1] & 0x7f)) }
        guard bytes.count >= 2 + lengthBytes else { return nil }
        return (2 + lengthBytes, bytes[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) })
    }

    /// A frame as a client sends it, with a mask of zeros, which leaves the bytes as they are.
    static func masked(_ first: UInt8, _ payload: some Collection<UInt8>) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: payload.count + 8)
        frame.writeInteger(first)
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
