import Model
import NIOCore
import Support

/// Events that the client acknowledges.
extension RiderSession {
    /// Takes the client's word on how far it has had the events of a channel.
    func acknowledge(_ message: ClientMessage) {
        guard let cursor = message.event?.cursor, !cursor.isEmpty else {
            return tell(.invalidMessage, "event_id must be the event_id of an event, or a list of them.", message)
        }
        // A channel in the error would say that its subscription has ended.
        guard let subscription = message.channel.flatMap({ ChannelName($0) }).flatMap({ subscriptions[$0] }),
            subscription.unacknowledged != nil
        else {
            return tell(.invalidMessage, "The channel is not subscribed with \"acknowledge\": true.", message)
        }
        guard let waits = subscription.unacknowledged?.acknowledge(cursor, at: heardAt) else {
            return tell(.invalidMessage, "event_id names an event that was not sent.", message)
        }
        for wait in waits { hub.metrics.countAcknowledgement(after: wait) }
    }

    /// Expects the acknowledgement of what a subscription begins with: of the events that were missed, not of the state
    /// in full.
    func expect(_ beginning: ChannelJoin<EventFrame>.Beginning, _ subscription: Subscription) {
        guard subscription.unacknowledged != nil else { return }
        if beginning.isFullRefresh {
            subscription.unacknowledged?.restart(at: ChannelCursor(beginning.stored.clocks))
        }
        let now = Self.now
        for entry in beginning.missed {
            let type = entry.message.withUnsafeBytes { hub.envelopes.read(.init($0))?.type }
            expect(entry.event, isPosition: EventFrame.isPosition(type), subscription, since: now)
        }
    }

    /// Expects the acknowledgement of an event; that of a position, for which a newer one may be told, is not awaited.
    func expect(_ event: EventID, isPosition: Bool, _ subscription: Subscription, since now: Timestamp) {
        guard !isClosed else { return }
        if subscription.unacknowledged?.tell(event, isRequired: !isPosition, at: now) == false { closeSlow() }
    }

    /// Closes the connection of a client that does not acknowledge what it was told: it may be gone, or its app may hang.
    func closeIfUnacknowledged() {
        let (now, limit) = (Self.now, hub.settings.acknowledgementTimeout.wholeMilliseconds)
        let overdue = subscriptions.values.first { $0.unacknowledged?.isOverdue(at: now, after: limit) == true }
        guard let overdue else { return }
        close(
            .slowReader,
            error(
                .notAcknowledged,
                "Events of \(overdue.channel) were not acknowledged within \(limit / 1000) s; connect again to resume.")
        )
    }
}
