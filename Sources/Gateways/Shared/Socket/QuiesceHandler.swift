import Hummingbird
import NIOCore
import NIOExtras
import NIOHTTPTypes
import Runtime

/// Handler that closes an HTTP connection that is idle for too long, or on shutdown.
///
/// On shutdown, an idle connection is closed at once, and a busy connection after the current response. An event stream
/// lasts until its session ends.
final class QuiesceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Time limit from a request to the end of its response; a long poll lasts up to 25 s.
    private static let requestTimeout = TimeAmount.seconds(60)
    private static let idleTimeout = TimeAmount.seconds(75)

    /// Time limit for the client to read the end of a stream.
    private static let streamEndTimeout = TimeAmount.seconds(5)

    private let connections: ConnectionTable
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// The stream that is the current response; `nil` for other responses.
    private var stream: StreamSession?
    private var isBusy = false
    private var isStopping = false

    init(_ connections: ConnectionTable) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        close(after: Self.requestTimeout, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        deadline?.cancel()
    }

    /// Continues the response as a stream, until ``streamDidEnd()``.
    func begin(_ stream: StreamSession) {
        deadline?.cancel()
        self.stream = stream
        if let context { connections.keep(context.channel) }
        if isStopping { stream.notifyShutdown() }
    }

    /// Called when the stream's last event has been written.
    func streamDidEnd() {
        stream = nil
        if let context { close(after: Self.streamEndTimeout, context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        stream?.disconnected()
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
            connections.beginResponse(context.channel)
            close(after: Self.requestTimeout, context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        isBusy = false
        connections.endResponse(context.channel)
        close(after: Self.idleTimeout, context)
        guard isStopping else { return context.write(data, promise: promise) }
        let channel = context.channel
        context.writeAndFlush(data).whenComplete { _ in channel.close(promise: nil) }
        promise?.succeed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isStopping = true
            if !isBusy { context.close(promise: nil) }
            stream?.notifyShutdown()
        // The server only writes to a stream, so nothing else shows that its client has disconnected.
        case ChannelEvent.inputClosed where stream != nil: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
