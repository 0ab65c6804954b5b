import Bytes
import Gateways
import NIOCore
import Observability
import Tokens
import Tracking

/// A client's connection: what it may watch, what it watches, and what waits for it.
///
/// Belongs to its event loop.
final class RiderSession {
    let id: String
    let hub: LoopHub
    let socket: SocketWriter
    var claims: TokenClaims
    var subscriptions: [ChannelName: Subscription] = [:]
    private var outbox = Outbox()
    /// Since when the client takes nothing.
    private var blockedSince: Timestamp?
    /// Control messages sent.
    private var messages: Int64 = 0
    var bucket: TokenBucket
    private(set) var heardAt: Timestamp
    private var pingedAt: Timestamp
    private(set) var isClosed = false

    init(id: String, claims: TokenClaims, hub: LoopHub, socket: SocketWriter) {
        let now = Self.now
        self.id = id
        self.claims = claims
        self.hub = hub
        self.socket = socket
        bucket = TokenBucket(hub.settings.messageLimit, at: now)
        heardAt = now
        pingedAt = now
    }

    /// A clock that only goes forward: a change of the machine's time ends no connection.
    private static var now: Timestamp {
        Timestamp(milliseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000))
    }

    /// The client has gone, or is to go.
    func end() {
        guard !isClosed else { return }
        isClosed = true
        hub.close(self)
        subscriptions = [:]
        outbox.removeAll()
    }

    /// The client has sent something: it is there.
    func heard() { heardAt = Self.now }
}

/// What goes to the client.
extension RiderSession {
    /// A message of this session: with its number, the session and the time.
    func message(
        _ type: String, _ requestID: ClientMessage.RequestID? = nil, _ members: (inout MessageWriter) -> Void = { _ in }
    ) -> ByteBuffer {
        messages += 1
        var writer = MessageWriter(type: type)
        writer.number("message_id", messages)
        writer.text("session_id", id)
        writer.text("timestamp", WallClock.text(WallClock.milliseconds()))
        switch requestID {
        case .text(let text): writer.text("request_id", text)
        case .number(let number): writer.number("request_id", number)
        case nil: break
        }
        members(&writer)
        return writer.buffer
    }

    func send(_ message: ByteBuffer) { push(WebSocketText.frame(message)) }

    /// Sends an update, or keeps it until the client takes it.
    func send(_ frame: EventFrame, of channel: ChannelName) {
        hub.metrics.events.increment()
        push(frame.frame, position: frame.isPosition ? channel.description : nil)
    }

    /// Sends a frame as it is.
    func send(frame: ByteBuffer) { push(frame) }

    func flush() { socket.flush() }

    private func push(_ frame: ByteBuffer, position: String? = nil) {
        guard !isClosed else { return }
        if outbox.isEmpty {
            // What is not flushed yet counts as waiting: only the client's own slowness is to be seen.
            if !socket.isWritable { socket.flush() }
            if socket.isWritable { return socket.write(frame) }
        }
        if blockedSince == nil { blockedSince = Self.now }
        if !outbox.append(frame, position: position) { closeSlow() }
    }

    /// The client takes data again.
    func becameWritable() {
        while socket.isWritable, let frame = outbox.popFirst() { socket.write(frame) }
        blockedSince = outbox.isEmpty ? nil : Self.now
        socket.flush()
    }
}

/// The end of a connection.
extension RiderSession {
    /// What is to be done every second; `time`: of the machine, by which tokens expire.
    func tick(_ time: Timestamp) {
        let (settings, now) = (hub.settings, Self.now)
        if claims.isExpired(at: time) { return refuse(.expired) }
        if now.milliseconds - heardAt.milliseconds > settings.silence.wholeMilliseconds { return close(.goingAway) }
        if let blockedSince, now.milliseconds - blockedSince.milliseconds > settings.patience.wholeMilliseconds {
            return closeSlow()
        }
        guard now.milliseconds - pingedAt.milliseconds >= settings.pingInterval.wholeMilliseconds else { return }
        pingedAt = now
        socket.ping()
    }

    /// Tells the client that the gateway stops, and closes.
    func tellClosing() {
        let wait = Int64.random(in: 100...max(100, hub.settings.reconnectSpread.wholeMilliseconds))
        close(.serviceRestart, error(.serverClosing, "The gateway stops; connect again.", retryAfter: wait))
    }

    func refuse(_ rejection: TokenRejection) {
        close(.token, error(GatewayErrorCode(rejection), rejection.advice))
    }

    func closeSlow() {
        close(.slowReader, error(.slowReader, "Updates are taken too slowly; connect again to resume."))
    }

    /// Closes, after a last message where there is one.
    func close(_ code: SocketCloseCode, _ message: ByteBuffer? = nil) {
        guard !isClosed else { return }
        end()
        hub.metrics.countClose(code)
        if let message { socket.write(WebSocketText.frame(message)) }
        socket.close(code)
    }
}
