import CoreMetrics
import NIOCore

/// A session that subscribes to channels, over a WebSocket or by server-sent events.
protocol ChannelSubscriber: ClientSession {
    var registry: RiderConnectionRegistry { get }
    var subscriptions: [ChannelName: Subscription] { get set }
    /// Whether the registry has sent updates that it has not flushed yet.
    var needsFlush: Bool { get set }
    var openConnections: Meter { get }

    /// Sends the initial state of a subscription whose join is complete.
    func begin(_ subscription: Subscription, _ initial: ChannelJoin<EventFrame>.InitialState)
    func fail(_ subscription: Subscription, _ code: GatewayErrorCode)
    /// Sends an update, or queues it while the client reads too slowly.
    func send(_ frame: EventFrame, of subscription: Subscription)
}

/// Messages common to WebSockets and server-sent events.
extension ChannelSubscriber {
    /// Writes the cursor to store after processing the message, and whether to acknowledge events.
    func writeCursor(
        _ initial: ChannelJoin<EventFrame>.InitialState, of subscription: Subscription, to writer: inout MessageWriter
    ) {
        writer.texts("cursor", ChannelCursor(initial.stored.watermarks).texts)
        if subscription.unacknowledged != nil { writer.flag("acknowledge", true) }
    }

    /// Creates the message that confirms a subscription, with a full snapshot if it starts with one.
    func subscribed(_ subscription: Subscription, _ initial: ChannelJoin<EventFrame>.InitialState) -> ByteBuffer {
        let name = subscription.channel
        return message("subscribed", subscription.requestID) { writer in
            writer.text("channel", name.description)
            let cursor = initial.isFullSnapshot ? [] : subscription.cursor.texts
            switch cursor.count {
            case 0, 1: writer.text("replay_from", cursor.first)
            default: writer.texts("replay_from", cursor)
            }
            writeCursor(initial, of: subscription, to: &writer)
            if initial.isFullSnapshot {
                writer.object("snapshot", ChannelState.snapshot(of: name, initial.stored))
            }
        }
    }

    func failure(of subscription: Subscription, _ code: GatewayErrorCode) -> ByteBuffer {
        let name = subscription.channel
        let text =
            switch code {
            case .tripNotFound: ChannelRequests.notFoundText(name)
            case .notAllowed: "The new token does not allow \(name)."
            default: "The state of \(name) is temporarily unavailable."
            }
        let retryAfter: Int64? = code == .tryAgain ? 1000 : nil
        return error(code, text, subscription.requestID, retryAfter: retryAfter) {
            $0.text("channel", name.description)
        }
    }
}
