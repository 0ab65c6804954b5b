import CoreMetrics
import NIOCore

/// A session that watches channels: over a WebSocket, or by a stream of events.
protocol ChannelWatching: ClientSession {
    var hub: RiderConnectionRegistry { get }
    var subscriptions: [ChannelName: Subscription] { get set }
    /// Whether the hub has written to the client what it will flush.
    var isTouched: Bool { get set }
    /// How many connections of this kind are open.
    var openConnections: Meter { get }

    /// Begins a subscription whose join is done.
    func begin(_ subscription: Subscription, _ beginning: ChannelJoin<EventFrame>.Beginning)
    /// Ends a subscription that cannot be, or no longer.
    func fail(_ subscription: Subscription, _ code: GatewayErrorCode)
    /// Sends an update, or keeps it until the client takes it.
    func send(_ frame: EventFrame, of subscription: Subscription)
}

/// Answers that are the same for every kind of connection.
extension ChannelWatching {
    /// The member that names what the client has once it has taken the answer: the next cursor.
    func writeCursor(_ beginning: ChannelJoin<EventFrame>.Beginning, to writer: inout MessageWriter) {
        writer.texts("cursor", ChannelCursor(beginning.stored.clocks).list.map(\.description))
    }

    /// The member that says that the client is to acknowledge events.
    func writeAcknowledgement(of subscription: Subscription, to writer: inout MessageWriter) {
        if subscription.unacknowledged != nil { writer.flag("acknowledge", true) }
    }

    /// How a subscription begins: after which events, or with the state in full.
    func subscribed(
        _ subscription: Subscription, _ beginning: ChannelJoin<EventFrame>.Beginning
    ) -> ByteBuffer {
        let name = subscription.channel
        return message("subscribed", subscription.requestID) { writer in
            writer.text("channel", name.description)
            let replayed = beginning.isFullRefresh ? [] : subscription.cursor.list.map(\.description)
            switch replayed.count {
            case 0, 1: writer.text("replay_from", replayed.first)
            default: writer.texts("replay_from", replayed)
            }
            writeCursor(beginning, to: &writer)
            writeAcknowledgement(of: subscription, to: &writer)
            if beginning.isFullRefresh {
                writer.object("snapshot", ChannelState.snapshot(of: name, beginning.stored))
            }
        }
    }

    /// The error of a subscription that cannot be, or no longer.
    func failure(of subscription: Subscription, _ code: GatewayErrorCode) -> ByteBuffer {
        let name = subscription.channel
        let text =
            switch code {
            case .tripNotFound: "Nothing was published for \(name) yet, or it ended over a day ago."
            case .notAllowed: "The new token does not name \(name)."
            default: "The latest state of \(name) cannot be read for now."
            }
        let retryAfter: Int64? = code == .tryAgain ? 1000 : nil
        return error(code, text, subscription.requestID, retryAfter: retryAfter) {
            $0.text("channel", name.description)
        }
    }
}
