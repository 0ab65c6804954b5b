import CoreMetrics
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import Runtime

/// A connection that starts with HTTP and can be upgraded to a WebSocket.
///
/// Hummingbird handles requests, and channel handlers handle WebSockets, without a task per connection.
struct UpgradableChannel: ServerChildChannel, HTTPChannelHandler {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let result: EventLoopFuture<Outcome>
    }

    enum Outcome: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        /// A WebSocket, whose channel handlers have been added.
        case socket
    }

    let responder: HTTPChannelHandler.Responder
    let gate: SocketGate
    let connections: ConnectionTable
    /// Number of connections that were closed because of the connection limit.
    private let refusals = Counter(.gatewayLimited, [(.type, "gateway")])
    let handshakeTimeout: Duration
    /// Maximum time for which sent data may stay unacknowledged (`TCP_USER_TIMEOUT`).
    let clientTimeout: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            UserTimeout.set(clientTimeout, of: channel)
            let (gate, connections, refusals) = (gate, connections, refusals)
            if !connections.open(channel) { refusals.increment() }
            channel.closeFuture.whenComplete { _ in connections.close(channel) }
            let upgrader = NIOTypedWebSocketServerUpgrader<Outcome>(
                maxFrameSize: gate.maximumMessageBytes, enableAutomaticErrorHandling: false,
                shouldUpgrade: { channel, head in
                    channel.eventLoop.makeSucceededFuture(gate.isHandshake(head) ? HTTPHeaders() : nil)
                },
                upgradePipelineHandler: { channel, head in
                    Self.endHandshake(channel).flatMap { gate.open(channel, head) }
                        .map { isAdmitted in
                            if isAdmitted { connections.keep(channel) }
                            return Outcome.socket
                        }
                })
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Outcome>(
                upgradeConfiguration: .init(upgraders: [upgrader]) { channel in
                    Self.endHandshake(channel).flatMapThrowing { .http(try asHTTP(channel)) }
                })
            // `NIOAsyncChannel` handles requests one at a time.
            configuration.enablePipelining = false
            let pipeline = channel.pipeline.syncOperations
            let result = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
            let upgrade = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Outcome>.self)
            try pipeline.addHandler(HandshakeHandler(gate, timeout: handshakeTimeout), position: .before(upgrade))
            return Value(channel: channel, result: result)
        }
    }

    private static func endHandshake(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.flatSubmit {
            let pipeline = channel.pipeline.syncOperations
            do {
                return pipeline.removeHandler(context: try pipeline.context(handlerType: HandshakeHandler.self))
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
            // The client did not complete its first request.
            value.channel.close(promise: nil)
        }
    }
}

/// Socket option `TCP_USER_TIMEOUT`, which closes connections of vanished clients.
///
/// Without this option, Linux retransmits unacknowledged data for about 15 minutes.
enum UserTimeout {
    /// Maximum time without acknowledgement, in milliseconds.
    static let option = ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))

    /// Sets the option; call on the connection's event loop.
    static func set(_ time: Duration, of channel: any Channel) {
        // Failure is harmless: the connection works without the option, or is already closed.
        try? channel.syncOptions?.setOption(option, value: .init(time.wholeMilliseconds))
    }
}
