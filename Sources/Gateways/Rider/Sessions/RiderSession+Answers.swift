import NIOCore

/// What the client is answered.
extension RiderSession {
    func begin(_ subscription: Subscription, _ beginning: ChannelJoin<EventFrame>.Beginning) {
        switch subscription.kind {
        case _ where beginning.isExtension: sendMissed(beginning)
        case .subscribe:
            send(subscribed(subscription, beginning))
            sendMissed(beginning)
        case .reconnect(let clientState): send(synchronised(subscription, beginning, clientState))
        }
        expect(beginning, subscription)
        for kept in beginning.kept { send(kept.message, of: subscription) }
        hub.metrics.events.increment(by: beginning.kept.count)
        flush()
    }

    private func sendMissed(_ beginning: ChannelJoin<EventFrame>.Beginning) {
        for entry in beginning.missed { send(ByteBuffer(bytes: entry.message)) }
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
            writeAcknowledgement(of: subscription, to: &writer)
            // A client that shows another state may have missed more than events.
            if beginning.isFullRefresh || (clientState != nil && clientState != state && beginning.missed.isEmpty) {
                writer.object("snapshot", ChannelState.snapshot(of: name, beginning.stored))
            }
        }
    }
}
