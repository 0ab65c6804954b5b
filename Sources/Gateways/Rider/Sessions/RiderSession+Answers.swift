import NIOCore

extension RiderSession {
    func begin(_ subscription: Subscription, _ initial: ChannelJoin<EventFrame>.InitialState) {
        switch subscription.kind {
        case _ where initial.addsPartition: sendMissed(initial)
        case .subscribe:
            send(subscribed(subscription, initial))
            sendMissed(initial)
        case .reconnect(let clientState): send(stateSync(subscription, initial, clientState))
        }
        expectAcknowledgements(of: initial, subscription)
        for record in initial.buffered { send(record.message, of: subscription) }
        registry.metrics.events.increment(by: initial.buffered.count)
        flush()
    }

    private func sendMissed(_ initial: ChannelJoin<EventFrame>.InitialState) {
        for entry in initial.missed { send(ByteBuffer(bytes: entry.message)) }
    }

    private func stateSync(
        _ subscription: Subscription, _ initial: ChannelJoin<EventFrame>.InitialState, _ clientState: String?
    ) -> ByteBuffer {
        let name = subscription.channel
        let fields = initial.stored.fields
        let state = fields["state"].map { String(decoding: $0, as: UTF8.self) }
        return message("state_sync", subscription.requestID) { writer in
            writer.text("channel", name.description)
            writer.text("trip_id", name.id)
            writer.text("current_state", state)
            writer.flag("full_refresh", initial.isFullSnapshot)
            writer.list("missed_events", json: initial.missed.map(\.message))
            writer.json("latest_driver_location", fields["position"])
            writeCursor(initial, of: subscription, to: &writer)
            // A client that shows a different state although it missed no event needs the full state.
            if initial.isFullSnapshot || (clientState != nil && clientState != state && initial.missed.isEmpty) {
                writer.object("snapshot", ChannelState.snapshot(of: name, initial.stored))
            }
        }
    }
}
