import Gateways
import NIOCore

/// What the client is answered.
extension RiderSession {
    /// The first message.
    func welcome() {
        send(message("welcome") { $0.number("ping_interval_ms", hub.settings.pingInterval.wholeMilliseconds) })
        flush()
    }

    /// Begins a subscription whose join is done.
    func begin(_ subscription: Subscription, _ beginning: ChannelJoin<EventFrame>.Beginning) {
        switch subscription.kind {
        case _ where beginning.isExtension: sendMissed(beginning)
        case .subscribe:
            send(subscribed(subscription, beginning))
            sendMissed(beginning)
        case .reconnect(let clientState): send(synchronised(subscription, beginning, clientState))
        }
        for kept in beginning.kept { send(kept.message, of: subscription.channel) }
        flush()
    }

    private func sendMissed(_ beginning: ChannelJoin<EventFrame>.Beginning) {
        for entry in beginning.missed { send(ByteBuffer(bytes: entry.message)) }
    }

    /// The member that names what the client has once it has taken the answer: the next cursor.
    private func writeCursor(_ beginning: ChannelJoin<EventFrame>.Beginning, to writer: inout MessageWriter) {
        writer.texts("cursor", ChannelCursor(beginning.stored.clocks).list.map(\.description))
    }

    private func subscribed(
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
            if beginning.isFullRefresh {
                writer.object("snapshot", ChannelState.snapshot(of: name, beginning.stored))
            }
        }
    }

    private func synchronised(
        _ subscription: Subscription, _ beginning: ChannelJoin<EventFrame>.Beginning, _ clientState: String?
    ) -> ByteBuffer {
        let name = subscription.channel
        let fields = beginning.stored.fields
        let state = fields["state"].map { String(decoding: $0, as: UTF8.self) }
        return message("state_sync", subscription.requestID) { writer in
            writer.text("channel", name.description)
            writer.text("trip_id", name.id)
            writer.text("current_state", state)
            writer.flag("full_refresh", beginning.isFullRefresh)
            writer.list("missed_events", json: beginning.missed.map(\.message))
            writer.json("latest_driver_location", fields["position"])
            writeCursor(beginning, to: &writer)
            // A client that shows another state may have missed more than events.
            if beginning.isFullRefresh || (clientState != nil && clientState != state && beginning.missed.isEmpty) {
                writer.object("snapshot", ChannelState.snapshot(of: name, beginning.stored))
            }
        }
    }

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
        send(error(code, text, subscription.requestID, channel: name, retryAfter: retryAfter))
        flush()
    }

    /// Tells the client of an error; the connection stays.
    func tell(
        _ code: GatewayErrorCode, _ text: String, _ request: ClientMessage? = nil, channel: ChannelName? = nil,
        retryAfter: Int64? = nil
    ) {
        send(error(code, text, request?.requestID, channel: channel, retryAfter: retryAfter))
    }

    /// `retryAfter`: in milliseconds.
    func error(
        _ code: GatewayErrorCode, _ text: String, _ requestID: ClientMessage.RequestID? = nil,
        channel: ChannelName? = nil, retryAfter: Int64? = nil
    ) -> ByteBuffer {
        message("error", requestID) { writer in
            writer.text("code", code.rawValue)
            writer.text("message", text)
            if let channel { writer.text("channel", channel.description) }
            if let retryAfter { writer.number("retry_after_ms", retryAfter) }
        }
    }
}
