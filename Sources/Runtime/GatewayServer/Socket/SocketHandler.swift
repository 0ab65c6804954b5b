import NIOCore
import NIOWebSocket

/// Takes a client's frames apart for its session: texts, in one piece or several, pings and the end.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let session: RiderSession
    private let socket: SocketWriter
    /// The text of frames that do not end a message.
    private var pending: [UInt8]?

    init(_ session: RiderSession, _ socket: SocketWriter) {
        self.session = session
        self.socket = socket
    }

    func handlerAdded(context: ChannelHandlerContext) { session.welcome() }

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
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return session.close(.protocolError)
        }
        switch frame.opcode {
        case .text:
            guard pending == nil else { return session.close(.protocolError) }
            append(frame, to: [])
        case .continuation:
            guard let pending else { return session.close(.protocolError) }
            append(frame, to: pending)
        case .binary: session.close(.unacceptableData)
        case .ping:
            session.heard()
            socket.pong(frame.unmaskedData)
        case .pong: session.heard()
        case .connectionClose: session.close(.normal)
        default: session.close(.protocolError)
        }
    }

    private func append(_ frame: WebSocketFrame, to before: [UInt8]) {
        let text = before + Array(frame.unmaskedData.readableBytesView)
        guard text.count <= ClientMessage.maximumBytes else { return session.close(.tooLarge) }
        pending = frame.fin ? nil : text
        if frame.fin { session.take(text) }
    }
}
