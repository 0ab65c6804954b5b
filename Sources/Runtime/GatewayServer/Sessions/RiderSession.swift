import Gateways
import NIOCore
import Tokens

/// A rider's connection: what it watches.
final class RiderSession: ClientSession, ClientMessageTaking {
    let hub: LoopHub
    var subscriptions: [ChannelName: Subscription] = [:]
    var bucket: TokenBucket
    /// Whether the hub has written to the client what it will flush.
    var isTouched = false

    init(_ handshake: SocketHandshake, hub: LoopHub) {
        self.hub = hub
        bucket = TokenBucket(hub.settings.messageLimit, at: Self.now)
        super.init(
            handshake, loop: hub.loop, tokens: hub.tokens, connections: hub.settings.connections,
            metrics: hub.metrics.sockets)
    }

    override func ended() {
        hub.close(self)
        subscriptions = [:]
    }

    override func tokenChanged() {
        for (name, subscription) in subscriptions where !name.isAllowed(by: claims) {
            fail(subscription, .notAllowed)
        }
        if !claims.has(scope: FleetFeed.scope) { hub.unwatchFleet(self) }
    }

    /// Sends an update, or keeps it until the client takes it.
    func send(_ frame: EventFrame, of channel: ChannelName) {
        send(frame: frame.frame, position: frame.isPosition ? channel : nil)
    }
}

/// Errors that are about a channel.
extension RiderSession {
    /// Ends a subscription that cannot be, or no longer.
    func fail(_ subscription: Subscription, _ code: GatewayErrorCode) {
        let name = subscription.channel
        if subscriptions[name] === subscription { subscriptions[name] = nil }
        hub.remove(subscription)
        let text =
            switch code {
            case .tripNotFound: "Nothing was published for \(name) yet, or it ended over a day ago."
            case .notAllowed: "The new token does not name \(name)."
            default: "The latest state of \(name) cannot be read for now."
            }
        let retryAfter: Int64? = code == .tryAgain ? 1000 : nil
        send(
            error(code, text, subscription.requestID, retryAfter: retryAfter) {
                $0.text("channel", name.description)
            })
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
