import NIOCore
import NIOWebSocket

/// Handler that passes a client's text messages, pings and pongs to its session; joins fragmented messages.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let session: any ClientMessageHandler
    private let meter: FrameMeter
    private var pending: ByteBuffer?
    private let maximumMessageBytes: Int

    init(_ session: any ClientMessageHandler, _ meter: FrameMeter, maximumMessageBytes: Int) {
        self.session = session
        self.meter = meter
        self.maximumMessageBytes = maximumMessageBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if !session.isClosed { session.start() }
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
        // The server allows half-closed connections, so close here when the client has closed its half.
        case ChannelEvent.inputClosed: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent: session.notifyShutdown()
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
        // Ignore frames that arrive after the close frame.
        guard !session.isClosed else { return }
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return session.close(.protocolError)
        }
        switch frame.opcode {
        case .text, .continuation:
            let isFirst = frame.opcode == .text
            guard isFirst == (pending == nil) else { return session.close(.protocolError) }
            append(frame.unmaskedData, isLast: frame.fin)
        case .binary: session.close(.unacceptableData)
        case .ping: session.receivePing(frame.unmaskedData)
        case .pong: session.recordActivity()
        case .connectionClose: session.close(.normal)
        default: session.close(.protocolError)
        }
    }

    private func append(_ part: ByteBuffer, isLast: Bool) {
        guard (pending?.readableBytes ?? 0) + part.readableBytes <= maximumMessageBytes else {
            return session.close(.tooLarge)
        }
        if pending == nil, isLast { return session.receive(part) }
        // Appended in place, because copying the message for each small fragment would need quadratic time.
        if pending == nil { pending = part } else { pending?.writeImmutableBuffer(part) }
        guard isLast, let text = pending else {
            meter.pendingBytes = pending?.readableBytes ?? 0
            return
        }
        pending = nil
        meter.pendingBytes = 0
        session.receive(text)
    }
}
