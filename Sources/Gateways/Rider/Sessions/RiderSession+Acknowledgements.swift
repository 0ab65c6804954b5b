import Domain
import NIOCore
import Support

extension RiderSession {
    func acknowledge(_ message: ClientMessage) {
        guard let cursor = message.event?.cursor, !cursor.isEmpty else {
            return sendError(.invalidMessage, "event_id must be an event id or a list of event ids.", message)
        }
        // The errors below have no `channel`, because clients treat an error with a channel as its subscription's end.
        guard let subscription = message.channel.flatMap({ ChannelName($0) }).flatMap({ subscriptions[$0] }),
            subscription.unacknowledged != nil
        else {
            return sendError(.invalidMessage, "The channel is not subscribed with \"acknowledge\": true.", message)
        }
        guard let waits = subscription.unacknowledged?.acknowledge(cursor, at: lastReceivedAt) else {
            return sendError(.invalidMessage, "event_id contains an event that was not sent.", message)
        }
        for wait in waits { registry.metrics.acknowledgements.recordMilliseconds(wait) }
    }

    /// Expects acknowledgements of the sent missed events; a full snapshot needs none.
    func expectAcknowledgements(of initial: ChannelJoin<EventFrame>.InitialState, _ subscription: Subscription) {
        guard subscription.unacknowledged != nil else { return }
        if initial.isFullSnapshot {
            subscription.unacknowledged?.restart(at: ChannelCursor(initial.stored.watermarks))
        }
        let now = Self.now
        for entry in initial.missed {
            let type = entry.message.withUnsafeBytes { registry.envelopes.read(.init($0))?.type }
            expectAcknowledgement(of: entry.event, isPosition: EventFrame.isPosition(type), subscription, since: now)
        }
    }

    /// Expects the acknowledgement of a sent event; for a position it is optional.
    func expectAcknowledgement(
        of event: EventID, isPosition: Bool, _ subscription: Subscription, since now: Timestamp
    ) {
        guard !isClosed else { return }
        if subscription.unacknowledged?.recordSent(event, isRequired: !isPosition, at: now) == false { closeSlow() }
    }

    /// Closes the connection if an acknowledgement is overdue, because the client may be gone or its app may hang.
    func closeIfUnacknowledged() {
        let (now, limit) = (Self.now, registry.shared.settings.acknowledgementTimeout.wholeMilliseconds)
        let overdue = subscriptions.values.first { $0.unacknowledged?.isOverdue(at: now, after: limit) == true }
        guard let overdue else { return }
        close(
            .slowReader,
            error(
                .notAcknowledged,
                "Events of \(overdue.channel) were not acknowledged within \(limit / 1000) s; reconnect to resume."))
    }
}
