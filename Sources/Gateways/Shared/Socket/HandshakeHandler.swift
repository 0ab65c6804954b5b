import NIOCore
import NIOExtras
import NIOHTTP1

/// Handler of a connection until its first request; closes the connection on a timeout or a shutdown.
///
/// Removes `Upgrade` headers, except those of WebSocket handshakes at the gateway's path. Other requests are then
/// served as HTTP/1.1, because some clients offer HTTP/2 with every first request. Placed before NIO's upgrade handler,
/// and removed together with it.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let gate: SocketGate
    private let timeout: TimeAmount
    private var deadline: Scheduled<Void>?
    /// Whether the request is a WebSocket handshake, which has no body.
    private var isUpgrading = false

    init(_ gate: SocketGate, timeout: Duration) {
        self.gate = gate
        self.timeout = TimeAmount(timeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the handshake, the decoder passes on the client's data as bytes, which must not be unwrapped as HTTP.
        guard !isUpgrading, case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if gate.isHandshake(head) {
            isUpgrading = true
        } else {
            head.headers.remove(name: "Upgrade")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
