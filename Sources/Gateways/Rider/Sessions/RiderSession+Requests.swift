import NIOCore

/// What the client asks for.
extension RiderSession {
    func take(_ text: ByteBuffer) {
        heard()
        if let wait = bucket.take(at: heardAt) {
            tell(.rateLimited, "Messages come too fast; wait before the next one.", retryAfter: wait)
            return flush()
        }
        guard let message = ClientMessage.read(text) else {
            tell(.invalidMessage, "A message is a JSON object with a text named type.")
            return flush()
        }
        switch message.type {
        case "subscribe": subscribe(message)
        case "reconnect": reconnect(message)
        case "unsubscribe": unsubscribe(message)
        case "authenticate": authenticate(message.token, message.requestID)
        case "ack": acknowledge(message)
        case "ping": send(self.message("pong", message.requestID))
        default:
            tell(
                .invalidMessage,
                "There is no message of this type; use subscribe, reconnect, unsubscribe, ack, authenticate or ping.",
                message)
        }
        flush()
    }

    private func subscribe(_ message: ClientMessage) {
        if message.channel == FleetPublisher.channel { return subscribeToFleet(message) }
        guard let name = message.channel.flatMap({ ChannelName($0) }) else {
            return tell(.invalidSubscription, "channel must be trip:ID, route:ID or fleet.", message)
        }
        begin(name, .subscribe, message)
    }

    private func subscribeToFleet(_ message: ClientMessage) {
        guard claims.has(scope: FleetPublisher.scope) else {
            return tell(.notAllowed, "The token does not have the scope \(FleetPublisher.scope).", message)
        }
        guard message.acknowledge != true else {
            return tell(.invalidSubscription, "The fleet has no events that could be acknowledged.", message)
        }
        hub.watchFleet(self)
    }

    private func reconnect(_ message: ClientMessage) {
        guard let name = message.tripID.flatMap({ ChannelName("trip:\($0)") }) else {
            return tell(.invalidSubscription, "trip_id must be the id of a trip.", message)
        }
        begin(name, .reconnect(clientState: message.clientState), message)
    }

    private func begin(_ name: ChannelName, _ kind: Subscription.Kind, _ message: ClientMessage) {
        guard name.isAllowed(by: claims) else {
            return tell(.notAllowed, "The token does not name \(name).", message, channel: name)
        }
        guard let cursor = message.cursor else {
            return tell(
                .invalidSubscription, "last_event_id must be the event_id of an event, or a list of them.", message,
                channel: name)
        }
        // Asked again, a channel begins again.
        if let before = subscriptions.removeValue(forKey: name) { hub.remove(before) }
        guard subscriptions.count < hub.settings.maximumSubscriptions else {
            return tell(
                .invalidSubscription,
                "A connection may have \(hub.settings.maximumSubscriptions) subscriptions; unsubscribe from one first.",
                message, channel: name)
        }
        let subscription = hub.subscribe(self, to: name, kind, cursor: cursor, requestID: message.requestID)
        if message.acknowledge == true { subscription.unacknowledged = UnacknowledgedEvents(from: cursor) }
        subscriptions[name] = subscription
    }

    private func unsubscribe(_ message: ClientMessage) {
        if message.channel == FleetPublisher.channel {
            hub.unwatchFleet(self)
        } else if let name = message.channel.flatMap({ ChannelName($0) }) {
            if let subscription = subscriptions.removeValue(forKey: name) { hub.remove(subscription) }
        } else {
            return tell(.invalidSubscription, "channel must be trip:ID, route:ID or fleet.", message)
        }
        send(self.message("unsubscribed", message.requestID) { $0.text("channel", message.channel) })
    }
}
