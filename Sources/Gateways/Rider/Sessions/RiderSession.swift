import CoreMetrics
import NIOCore
import Support

/// A rider's WebSocket: what it watches.
final class RiderSession: ClientSession, ClientMessageHandler, ChannelWatching {
    let hub: RiderConnectionRegistry
    var subscriptions: [ChannelName: Subscription] = [:]
    var bucket: TokenBucket
    var isTouched = false

    var openConnections: Meter { hub.metrics.sockets.connections }

    init(_ handshake: SocketHandshake, hub: RiderConnectionRegistry) {
        self.hub = hub
        bucket = TokenBucket(hub.settings.messageLimit, at: Self.now)
        super.init(
            handshake, loop: hub.loop, tokens: hub.tokens, connections: hub.settings.connections,
            metrics: hub.metrics.sockets)
    }

    override func countMessage() -> Bool { bucket.take(at: Self.now) == nil }

    override func ended() {
        hub.close(self)
        subscriptions = [:]
    }

    override func tokenChanged() {
        for (name, subscription) in subscriptions where !name.isAllowed(by: claims) {
            fail(subscription, .notAllowed)
        }
        if !claims.has(scope: FleetPublisher.scope) { hub.unwatchFleet(self) }
    }

    override func tick(_ time: Timestamp) {
        super.tick(time)
        closeIfUnacknowledged()
    }

    func send(_ frame: EventFrame, of subscription: Subscription) {
        send(frame: frame.frame, position: frame.isPosition ? subscription.channel : nil)
        if subscription.unacknowledged != nil {
            expect(frame.event, isPosition: frame.isPosition, subscription, since: Self.now)
        }
    }
}

/// Errors that are about a channel.
extension RiderSession {
    func fail(_ subscription: Subscription, _ code: GatewayErrorCode) {
        let name = subscription.channel
        if subscriptions[name] === subscription { subscriptions[name] = nil }
        hub.remove(subscription)
        send(failure(of: subscription, code))
        flush()
    }

    /// Tells the client of an error; the connection stays.
    func tell(
        _ code: GatewayErrorCode, _ text: String, _ request: ClientMessage? = nil, channel: ChannelName? = nil,
        retryAfter: Int64? = nil
    ) {
        send(
            error(code, text, request?.requestID, retryAfter: retryAfter) { writer in
                if let channel { writer.text("channel", channel.description) }
            })
    }
}
