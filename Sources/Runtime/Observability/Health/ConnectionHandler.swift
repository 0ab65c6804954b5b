import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Closes a connection that takes too long: over its request, or between two.
///
/// The time for a request runs from the opening of the connection, or from the request's first line where it is not the
/// first, to the request's end, whatever comes meanwhile: a header or body that trickles in does not prolong it. The
/// answer has a longer time of its own, as a busy machine must not be taken for a slow client.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    /// How long an answer may take, until all of it is written to the socket.
    private static let answerTimeout = TimeAmount.minutes(5)

    private let requestTimeout: TimeAmount
    private let idleTimeout: TimeAmount
    private var deadline: Scheduled<Void>?
    private var requests = 0
    private var answers = 0
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
            table.beginAnswer(context.channel)
            // The first one has run since the connection was opened.
            if requests > 1 { closeConnection(after: requestTimeout, context) }
        case .body: break
        case .end:
            isReading = false
            closeConnection(after: Self.answerTimeout, context)
            restIfDone(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            answers += 1
            restIfDone(context)
        }
        context.write(data, promise: promise)
    }

    /// Once every request has come to its end and is answered, the connection may wait for the next.
    private func restIfDone(_ context: ChannelHandlerContext) {
        guard !isReading, answers >= requests else { return }
        table.endAnswer(context.channel)
        closeConnection(after: idleTimeout, context)
    }

    private func closeConnection(after time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
