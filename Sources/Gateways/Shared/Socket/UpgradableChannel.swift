import CoreMetrics
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import Runtime

/// A connection that begins with HTTP and may become a WebSocket.
///
/// Requests are Hummingbird's; a socket is a plain channel handler, without a task of its own.
struct UpgradableChannel: ServerChildChannel, HTTPChannelHandler {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let result: EventLoopFuture<Outcome>
    }

    enum Outcome: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        /// The socket's handlers do the rest.
        case socket
    }

    let responder: HTTPChannelHandler.Responder
    let gate: SocketGate
    let connections: ConnectionTable
    /// Connections that had to be closed for others.
    private let refusals = Counter(.gatewayLimited, [(.type, "gateway")])
    /// How long a client has for its first request.
    let handshakeTimeout: Duration
    /// How long the client's system may acknowledge nothing of what is sent.
    let silence: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            UserTimeout.set(silence, of: channel)
            let (gate, connections, refusals) = (gate, connections, refusals)
            if !connections.open(channel) { refusals.increment() }
            channel.closeFuture.whenComplete { _ in connections.close(channel) }
            let handshake = HandshakeHandler(timeout: handshakeTimeout)
            try channel.pipeline.syncOperations.addHandler(handshake)
            let upgrader = NIOTypedWebSocketServerUpgrader<Outcome>(
                maxFrameSize: gate.maximumMessageBytes, enableAutomaticErrorHandling: false,
                shouldUpgrade: { channel, head in
                    channel.eventLoop.makeSucceededFuture(gate.isSocket(head) ? HTTPHeaders() : nil)
                },
                upgradePipelineHandler: { channel, head in
                    Self.endHandshake(channel).flatMap { gate.open(channel, head) }
                        .map { isLetIn in
                            if isLetIn { connections.keep(channel) }
                            return Outcome.socket
                        }
                })
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Outcome>(
                upgradeConfiguration: .init(upgraders: [upgrader]) { channel in
                    Self.endHandshake(channel).flatMapThrowing { .http(try asHTTP(channel)) }
                })
            // The asynchronous channel takes one request after the other.
            configuration.enablePipelining = false
            let pipeline = channel.pipeline.syncOperations
            let result = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
            let upgrade = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Outcome>.self)
            try pipeline.addHandler(UpgradeFilter(gate), position: .before(upgrade))
            return Value(channel: channel, result: result)
        }
    }

    private static func endHandshake(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.flatSubmit {
            let pipeline = channel.pipeline.syncOperations
            do {
                let first = pipeline.removeHandler(context: try pipeline.context(handlerType: HandshakeHandler.self))
                let second = pipeline.removeHandler(context: try pipeline.context(handlerType: UpgradeFilter.self))
                return first.and(second).map { _, _ in }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
    }

    private func asHTTP(_ channel: any Channel) throws -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try channel.pipeline.syncOperations.addHandler(QuiesceHandler(connections))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: Value, logger: Logger) async {
        do {
            guard case .http(let channel) = try await value.result.get() else { return }
            await handleHTTP(asyncChannel: channel, logger: logger)
        } catch {
            // The client did not finish its first request.
            value.channel.close(promise: nil)
        }
    }
}
