import NIOCore
import NIOWebSocket

/// Takes a client's frames apart for its session: texts, in one piece or several, pings and the end.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let session: any ClientMessageHandler
    private let meter: FrameMeter
    /// The text of frames that do not end a message.
    private var pending: ByteBuffer?
    private let maximumMessageBytes: Int

    init(_ session: any ClientMessageHandler, _ meter: FrameMeter, maximumMessageBytes: Int) {
        self.session = session
        self.meter = meter
        self.maximumMessageBytes = maximumMessageBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if !session.isClosed { session.began() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.end()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { session.becameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        // The server lets clients close their half first, and a client that has is gone.
        case ChannelEvent.inputClosed: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent: session.tellClosing()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: session.close(.tooLarge)
        case is NIOWebSocketError: session.close(.protocolError)
        default: context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the close frame nothing counts any more.
        guard !session.isClosed else { return }
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return session.close(.protocolError)
        }
        switch frame.opcode {
        case .text:
            guard pending == nil else { return session.close(.protocolError) }
            take(frame.unmaskedData, isLast: frame.fin)
        case .continuation:
            guard pending != nil else { return session.close(.protocolError) }
            take(frame.unmaskedData, isLast: frame.fin)
        case .binary: session.close(.unacceptableData)
        case .ping: session.receivePing(frame.unmaskedData)
        case .pong: session.heard()
        case .connectionClose: session.close(.normal)
        default: session.close(.protocolError)
        }
    }

    private func take(_ part: ByteBuffer, isLast: Bool) {
        guard (pending?.readableBytes ?? 0) + part.readableBytes <= maximumMessageBytes else {
            return session.close(.tooLarge)
        }
        if pending == nil, isLast { return session.take(part) }
        // In place: a message of many small frames must not be copied with each of them.
        if pending == nil { pending = part } else { pending?.writeImmutableBuffer(part) }
        guard isLast, let text = pending else {
            meter.pendingBytes = pending?.readableBytes ?? 0
            return
        }
        pending = nil
        meter.pendingBytes = 0
        session.take(text)
    }
}
