import NIOCore
import NIOHTTP1

/// Leaves the wish for another protocol out of requests that are no handshake of ours, so that they are answered as
/// requests: some clients offer HTTP/2 that way with every first one.
///
/// Stands before NIO's upgrade, and leaves with it.
final class UpgradeFilter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let gate: SocketGate

    init(_ gate: SocketGate) { self.gate = gate }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !gate.isSocket(head) else {
            return context.fireChannelRead(data)
        }
        head.headers.remove(name: "Upgrade")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
