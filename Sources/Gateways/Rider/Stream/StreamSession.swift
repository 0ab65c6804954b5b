import Codec
import CoreMetrics
import Domain
import NIOCore
import Support

/// A client that receives a trip's events as server-sent events.
final class StreamSession: ClientSession, ChannelSubscriber {
    let registry: RiderConnectionRegistry
    var subscriptions: [ChannelName: Subscription] = [:]
    var needsFlush = false
    private let body: StreamWriter
    /// For each source, the last event sent.
    private var cursor: ChannelCursor

    var openConnections: Meter { registry.metrics.streams }

    /// `cursor`: the client's cursor; empty if it has received nothing.
    init(
        sessionID: String, claims: TokenClaims, cursor: ChannelCursor, body: StreamWriter,
        registry: RiderConnectionRegistry
    ) {
        self.registry = registry
        self.body = body
        self.cursor = cursor
        super.init(
            sessionID, claims, body, loop: registry.loop, tokens: registry.shared.tokens,
            connections: registry.shared.settings.connections, metrics: registry.metrics.sockets)
    }

    func start() {
        // Applies if the connection ends unannounced, for example because the gateway crashes.
        writer.write(EventStreamText.retry(milliseconds: reconnectWait))
        flush()
    }

    func follow(_ trip: ChannelName) {
        subscriptions[trip] = registry.subscribe(self, to: trip, .subscribe, cursor: cursor, requestID: nil)
    }

    override func tick(_ time: Timestamp) {
        // The client of a stream sends nothing, so it never counts as silent.
        recordActivity()
        checkConnection(at: time)
    }

    override func didEnd() { registry.close(self) }

    override func notifyShutdown() {
        guard !isClosed else { return }
        let wait = reconnectWait
        writer.write(EventStreamText.retry(milliseconds: wait))
        closeForShutdown(retryAfter: wait)
    }
}

extension StreamSession {
    func bodyNeedsMore() {
        body.resume()
        if !isClosed { becameWritable() }
    }

    func disconnected() {
        guard !isClosed else { return }
        end()
        body.close(.goingAway)
    }
}

extension StreamSession {
    func begin(_ subscription: Subscription, _ initial: ChannelJoin<EventFrame>.InitialState) {
        if initial.isFullSnapshot { cursor = ChannelCursor(initial.stored.watermarks) }
        if !initial.addsPartition {
            // Without a full snapshot, missed events follow; with an id here, a client that reconnects would skip them.
            let id = initial.isFullSnapshot && !cursor.isEmpty ? text(cursor) : nil
            send(frame: EventStreamText.event(id: id, type: "subscribed", subscribed(subscription, initial)))
        }
        for entry in initial.missed {
            let type = entry.message.withUnsafeBytes { registry.envelopes.read(.init($0))?.type }
            send(entry.event, type, ByteBuffer(bytes: entry.message))
        }
        for record in initial.buffered { send(record.message, of: subscription) }
        registry.metrics.events.increment(by: initial.buffered.count)
        flush()
    }

    func send(_ frame: EventFrame, of subscription: Subscription) {
        send(frame.event, frame.type, frame.message, position: frame.isPosition ? subscription.channel : nil)
    }

    private func send(_ event: EventID, _ type: RiderUpdateType?, _ message: ByteBuffer, position: ChannelName? = nil) {
        cursor.advance(to: event)
        // One id is enough if a single partition writes the trip.
        let id = cursor.events.contains { $0.partition != event.partition } ? text(cursor) : event.description
        send(frame: EventStreamText.event(id: id, type: type.map { "\($0.code)" }, message), position: position)
    }

    func fail(_ subscription: Subscription, _ code: GatewayErrorCode) {
        close(code == .tryAgain ? .tryAgainLater : .normal, failure(of: subscription, code))
    }

    private func text(_ cursor: ChannelCursor) -> String { cursor.texts.joined(separator: ",") }
}
