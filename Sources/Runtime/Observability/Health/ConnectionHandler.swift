import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Handler that closes connections with slow requests, or with long idle times between requests.
///
/// The request timeout runs from the opening of the connection (first request) or the request line (later ones) to the
/// end of the request; data that trickles in does not extend it. Responses have a longer timeout, because the server
/// may be busy.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    /// Maximum time from the end of a request to the end of its response.
    private static let responseTimeout = TimeAmount.minutes(5)

    private let requestTimeout: TimeAmount
    private let idleTimeout: TimeAmount
    private var deadline: Scheduled<Void>?
    private var requests = 0
    private var responses = 0
    private var isReading = false

    init(table: ConnectionTable, requestTimeout: Duration, idleTimeout: Duration) {
        self.table = table
        self.requestTimeout = TimeAmount(requestTimeout)
        self.idleTimeout = TimeAmount(idleTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let table = table
        let channel = context.channel
        table.open(channel)
        channel.closeFuture.whenComplete { _ in table.close(channel) }
        closeConnection(after: requestTimeout, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            requests += 1
            isReading = true
            table.beginResponse(context.channel)
            // The first request's timeout started when the connection was opened.
            if requests > 1 { closeConnection(after: requestTimeout, context) }
        case .body: break
        case .end:
            isReading = false
            closeConnection(after: Self.responseTimeout, context)
            becomeIdleIfDone(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            responses += 1
            becomeIdleIfDone(context)
        }
        context.write(data, promise: promise)
    }

    /// Starts the idle timeout when all requests are complete and answered.
    private func becomeIdleIfDone(_ context: ChannelHandlerContext) {
        guard !isReading, responses >= requests else { return }
        table.endResponse(context.channel)
        closeConnection(after: idleTimeout, context)
    }

    private func closeConnection(after time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
