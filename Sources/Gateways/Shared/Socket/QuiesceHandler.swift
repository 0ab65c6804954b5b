import Hummingbird
import NIOCore
import NIOExtras
import NIOHTTPTypes
import Runtime

/// Closes a connection of requests: when it is of no use for long, and when the server stops, at once between two
/// requests or after the answer.
///
/// A stream in an answer lasts until its session ends.
final class QuiesceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For a request and its answer, which a long poll holds back for 25 s.
    private static let requestTimeout = TimeAmount.seconds(60)
    private static let idleTimeout = TimeAmount.seconds(75)

    /// How long a client has to take the end of a stream.
    private static let streamEndTimeout = TimeAmount.seconds(5)

    private let connections: ConnectionTable
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// The stream that the present answer is.
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

    /// The answer goes on as a stream, until ``streamEnds()``.
    func begin(_ stream: StreamSession) {
        deadline?.cancel()
        self.stream = stream
        if let context { connections.keep(context.channel) }
        if isStopping { stream.tellClosing() }
    }

    /// The stream's last event is on its way.
    func streamEnds() {
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
            connections.beginAnswer(context.channel)
            close(after: Self.requestTimeout, context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        isBusy = false
        connections.endAnswer(context.channel)
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
            stream?.tellClosing()
        // Between events nothing would show that the client of a stream has gone.
        case ChannelEvent.inputClosed where stream != nil: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
