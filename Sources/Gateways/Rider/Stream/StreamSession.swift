import Codec
import CoreMetrics
import Model
import NIOCore
import Support

/// A trip's events in the answer to a request.
///
/// A watcher like a WebSocket: the same join, the same queue, the same end.
final class StreamSession: ClientSession, ChannelWatching {
    let hub: RiderConnectionRegistry
    var subscriptions: [ChannelName: Subscription] = [:]
    var isTouched = false
    private let body: StreamWriter
    /// The last event of each source that was sent.
    private var cursor: ChannelCursor

    var openConnections: Meter { hub.metrics.streams }

    init(_ request: StreamRequest, sessionID: String, body: StreamWriter, hub: RiderConnectionRegistry) {
        self.hub = hub
        self.body = body
        cursor = request.cursor
        super.init(
            StreamOpening(sessionID: sessionID, claims: request.claims, writer: body), loop: hub.loop,
            tokens: hub.tokens, connections: hub.settings.connections, metrics: hub.metrics.sockets)
    }

    override func began() {
        // For an end that the gateway cannot announce, such as its own.
        writer.write(EventStreamText.retry(milliseconds: reconnectWait))
        flush()
    }

    /// Begins to follow the trip of the request.
    func follow(_ trip: ChannelName) {
        subscriptions[trip] = hub.subscribe(self, to: trip, .subscribe, cursor: cursor, requestID: nil)
    }

    override func tick(_ time: Timestamp) {
        // A client of a stream has nothing to say.
        heard()
        super.tick(time)
    }

    override func ended() {
        hub.close(self)
        subscriptions = [:]
    }

    override func tellClosing() {
        guard !isClosed else { return }
        let wait = reconnectWait
        writer.write(EventStreamText.retry(milliseconds: wait))
        closeForStop(retryAfter: wait)
    }

    /// The only messages of a session that go this way are the errors that end it.
    override func frame(_ message: ByteBuffer) -> ByteBuffer {
        EventStreamText.event(id: nil, type: "error", message)
    }
}

/// What becomes of the answer.
extension StreamSession {
    /// The task of the answer has handed on what was written.
    func answerTakesMore() {
        body.demanded()
        if !isClosed { becameWritable() }
    }

    /// The client has gone.
    func disconnected() {
        guard !isClosed else { return }
        end()
        body.close(.goingAway)
    }
}

/// Events.
extension StreamSession {
    func begin(_ subscription: Subscription, _ beginning: ChannelJoin<EventFrame>.Beginning) {
        if beginning.isFullRefresh { cursor = ChannelCursor(beginning.stored.clocks) }
        if !beginning.isExtension {
            // Before what was missed is there, the client must not go on from behind it.
            let id = beginning.isFullRefresh && !cursor.isEmpty ? Self.text(cursor.list) : nil
            send(frame: EventStreamText.event(id: id, type: "subscribed", subscribed(subscription, beginning)))
        }
        for entry in beginning.missed {
            let type = entry.message.withUnsafeBytes { hub.envelopes.read(.init($0))?.type }
            send(entry.event, type, ByteBuffer(bytes: entry.message))
        }
        for kept in beginning.kept { send(kept.message, of: subscription) }
        hub.metrics.events.increment(by: beginning.kept.count)
        flush()
    }

    func send(_ frame: EventFrame, of subscription: Subscription) {
        send(frame.event, frame.type, frame.message, position: frame.isPosition ? subscription.channel : nil)
    }

    private func send(
        _ event: EventID, _ type: RiderUpdateType?, _ message: ByteBuffer, position: ChannelName? = nil
    ) {
        cursor.advance(to: event)
        let list = cursor.list
        // One id is enough where one partition writes the trip.
        let id = list.contains { $0.partition != event.partition } ? Self.text(list) : event.description
        send(
            frame: EventStreamText.event(id: id, type: type.map { "\($0.code)" }, message), position: position)
    }

    func fail(_ subscription: Subscription, _ code: GatewayErrorCode) {
        close(code == .tryAgain ? .tryAgainLater : .normal, failure(of: subscription, code))
    }

    private static func text(_ events: [EventID]) -> String {
        events.map(\.description).joined(separator: ",")
    }
}
