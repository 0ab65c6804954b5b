import NIOCore

/// Counts the bytes of a client's unfinished message, which the frame decoder buffers.
///
/// Discards input after the end of the session, so that a refused client uses no memory.
final class FrameMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes of the message's earlier frames.
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
            // Close at once to free the memory; unread data then resets the connection.
            channel.close(promise: nil)
        }
    }
}
