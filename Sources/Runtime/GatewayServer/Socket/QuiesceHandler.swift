import Hummingbird
import NIOCore
import NIOExtras
import NIOHTTPTypes

/// Closes a connection of requests: when it is of no use for long, and when the server stops, at once between two
/// requests or after the answer.
final class QuiesceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For a request and its answer, which a long poll holds back for 25 s.
    private static let requestTimeout = TimeAmount.seconds(60)
    private static let idleTimeout = TimeAmount.seconds(75)

    private var deadline: Scheduled<Void>?
    private var isBusy = false
    private var isStopping = false

    func handlerAdded(context: ChannelHandlerContext) { close(after: Self.requestTimeout, context) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    private func close(after time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            isBusy = true
            close(after: Self.requestTimeout, context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        isBusy = false
        close(after: Self.idleTimeout, context)
        guard isStopping else { return context.write(data, promise: promise) }
        let channel = context.channel
        context.writeAndFlush(data).whenComplete { _ in channel.close(promise: nil) }
        promise?.succeed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        isStopping = true
        if !isBusy { context.close(promise: nil) }
    }
}
