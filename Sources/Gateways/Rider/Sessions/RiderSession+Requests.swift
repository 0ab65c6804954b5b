import NIOCore

extension RiderSession {
    func receive(_ text: ByteBuffer) {
        recordActivity()
        if let wait = bucket.acquire(at: lastReceivedAt) {
            sendError(.rateLimited, "Too many messages; wait before you send the next one.", retryAfter: wait)
            return flush()
        }
        guard let message = ClientMessage.read(text) else {
            sendError(.invalidMessage, "A message must be a JSON object with a string member type.")
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
            sendError(
                .invalidMessage, "Unknown type; use subscribe, reconnect, unsubscribe, ack, authenticate or ping.",
                message)
        }
        flush()
    }

    private func subscribe(_ message: ClientMessage) {
        if message.channel == FleetPublisher.channel { return subscribeToFleet(message) }
        guard let name = message.channel.flatMap({ ChannelName($0) }) else {
            return sendError(.invalidSubscription, "channel must be trip:ID, route:ID or fleet.", message)
        }
        begin(name, .subscribe, message)
    }

    private func subscribeToFleet(_ message: ClientMessage) {
        guard claims.has(scope: FleetPublisher.scope) else {
            return sendError(.notAllowed, "The token does not have the scope \(FleetPublisher.scope).", message)
        }
        guard message.acknowledge != true else {
            return sendError(.invalidSubscription, "The channel fleet does not support acknowledgements.", message)
        }
        registry.subscribeToFleet(self)
    }

    private func reconnect(_ message: ClientMessage) {
        guard let name = message.tripID.flatMap({ ChannelName("trip:\($0)") }) else {
            return sendError(.invalidSubscription, "trip_id must be the id of a trip.", message)
        }
        begin(name, .reconnect(clientState: message.clientState), message)
    }

    private func begin(_ name: ChannelName, _ kind: Subscription.Kind, _ message: ClientMessage) {
        guard name.isAllowed(by: claims) else {
            return sendError(.notAllowed, "The token does not allow \(name).", message, channel: name)
        }
        guard let cursor = message.cursor else {
            return sendError(
                .invalidSubscription, "last_event_id must be an event id or a list of event ids.", message,
                channel: name)
        }
        // Subscribing again restarts the subscription.
        if let before = subscriptions.removeValue(forKey: name) { registry.remove(before) }
        guard subscriptions.count < registry.shared.settings.maximumSubscriptions else {
            return sendError(
                .invalidSubscription,
                "A connection has at most \(registry.shared.settings.maximumSubscriptions) subscriptions; "
                    + "unsubscribe from one first.",
                message, channel: name)
        }
        let subscription = registry.subscribe(self, to: name, kind, cursor: cursor, requestID: message.requestID)
        if message.acknowledge == true { subscription.unacknowledged = UnacknowledgedEvents(from: cursor) }
        subscriptions[name] = subscription
    }

    private func unsubscribe(_ message: ClientMessage) {
        if message.channel == FleetPublisher.channel {
            registry.unsubscribeFromFleet(self)
        } else if let name = message.channel.flatMap({ ChannelName($0) }) {
            if let subscription = subscriptions.removeValue(forKey: name) { registry.remove(subscription) }
        } else {
            return sendError(.invalidSubscription, "channel must be trip:ID, route:ID or fleet.", message)
        }
        send(self.message("unsubscribed", message.requestID) { $0.text("channel", message.channel) })
    }
}
