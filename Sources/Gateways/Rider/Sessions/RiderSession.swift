import CoreMetrics
import NIOCore
import Support

/// A WebSocket of a rider, operator or dispatcher.
final class RiderSession: ClientSession, ClientMessageHandler, ChannelSubscriber {
    let registry: RiderConnectionRegistry
    var subscriptions: [ChannelName: Subscription] = [:]
    var bucket: TokenBucket
    var needsFlush = false

    var openConnections: Meter { registry.metrics.sockets.connections }

    init(_ handshake: SocketHandshake, registry: RiderConnectionRegistry) {
        self.registry = registry
        bucket = TokenBucket(registry.shared.settings.messageLimit, at: Self.now)
        super.init(
            handshake.sessionID, handshake.claims, handshake.socket, loop: registry.loop,
            tokens: registry.shared.tokens, connections: registry.shared.settings.connections,
            metrics: registry.metrics.sockets)
    }

    override func countMessage() -> Bool { bucket.acquire(at: Self.now) == nil }

    override func didEnd() { registry.close(self) }

    override func tokenChanged() {
        for (name, subscription) in subscriptions where !name.isAllowed(by: claims) {
            fail(subscription, .notAllowed)
        }
        if !claims.has(scope: FleetPublisher.scope) { registry.unsubscribeFromFleet(self) }
    }

    func start() { sendWelcome() }

    override func tick(_ time: Timestamp) {
        checkConnection(at: time)
        closeIfUnacknowledged()
    }

    func send(_ frame: EventFrame, of subscription: Subscription) {
        send(frame: frame.frame, position: frame.isPosition ? subscription.channel : nil)
        if subscription.unacknowledged != nil {
            expectAcknowledgement(of: frame.event, isPosition: frame.isPosition, subscription, since: Self.now)
        }
    }
}

/// Errors that do not close the connection.
extension RiderSession {
    func fail(_ subscription: Subscription, _ code: GatewayErrorCode) {
        let name = subscription.channel
        if subscriptions[name] === subscription { subscriptions[name] = nil }
        registry.remove(subscription)
        send(failure(of: subscription, code))
        flush()
    }

    func sendError(
        _ code: GatewayErrorCode, _ text: String, _ request: ClientMessage? = nil, channel: ChannelName? = nil,
        retryAfter: Int64? = nil
    ) {
        send(
            error(code, text, request?.requestID, retryAfter: retryAfter) { writer in
                if let channel { writer.text("channel", channel.description) }
            })
    }
}
