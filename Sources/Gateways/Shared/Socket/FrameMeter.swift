import NIOCore

/// Handler that counts the buffered bytes of a client's unfinished message.
///
/// Discards input after the end of the session, so that a refused client uses no memory.
final class FrameMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes of the complete frames of a fragmented message, set by ``SocketHandler``.
    var pendingBytes = 0
    private let session: any ClientMessageHandler
    private let messages: UnfinishedMessages
    private var frame = FrameLength()
    private var countedBytes = 0

    init(_ session: any ClientMessageHandler, _ messages: UnfinishedMessages) {
        self.session = session
        self.messages = messages
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !session.isClosed else { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { frame.read($0) }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        count(session.isClosed ? 0 : frame.receivedBytes + pendingBytes, context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        count(0, context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { count(0, context) }

    private func count(_ bytes: Int, _ context: ChannelHandlerContext) {
        guard bytes != countedBytes else { return }
        countedBytes = bytes
        let (session, channel) = (session, context.channel)
        messages.set(bytes, of: self) {
            session.closeUnfinished()
            // Close at once to free the memory, although unread data then resets the connection.
            channel.close(promise: nil)
        }
    }
}

/// Size of the received part of the current RFC 6455 frame in a byte stream.
struct FrameLength {
    private static let maskBytes = 4

    /// Received bytes of the current frame including its header; 0 between frames.
    private(set) var receivedBytes = 0
    /// Length of the header as far as it is known.
    private var headerBytes = 2
    private var lengthFieldEnd = 2
    private var payloadBytes: UInt64 = 0

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if receivedBytes < headerBytes {
                readHeader(bytes[index])
                index += 1
                receivedBytes += 1
            } else {
                let count = Int(min(missingBytes, UInt64(bytes.count - index)))
                index += count
                receivedBytes += count
            }
            if receivedBytes >= headerBytes, missingBytes == 0 { self = FrameLength() }
        }
    }

    /// Bytes of the payload that were not received yet; valid once the header is complete.
    private var missingBytes: UInt64 { payloadBytes - min(payloadBytes, UInt64(receivedBytes - headerBytes)) }

    private mutating func readHeader(_ byte: UInt8) {
        switch receivedBytes {
        case 0: break
        case 1:
            payloadBytes = UInt64(byte & 0x7F)
            if payloadBytes >= 126 {
                lengthFieldEnd += payloadBytes == 126 ? 2 : 8
                payloadBytes = 0
            }
            headerBytes = lengthFieldEnd + (byte & 0x80 == 0 ? 0 : Self.maskBytes)
        case 2..<lengthFieldEnd: payloadBytes = payloadBytes << 8 | UInt64(byte)
        default: break
        }
    }
}
