import NIOCore
import Runtime
import Support

/// Connection of a client to a gateway: its token, send queue and shutdown.
///
/// Used on its event loop only. Subclasses implement the protocol of their gateway.
class ClientSession {
    let id: String
    let loop: any EventLoop
    let writer: any SessionWriter
    let tokens: TokenVerifier
    let connections: ConnectionSettings
    let socketMetrics: SocketMetrics
    private(set) var claims: TokenClaims
    /// Value of ``TokenVerifier/keyGeneration`` at the last check of the token's key; `nil` before the first check.
    private var keyGeneration: Int?
    private var outbox = SendQueue()
    /// Response to the client's last ping, until it is written.
    private var pong: ByteBuffer?
    /// Time at which the connection was found unwritable, or made its last progress since; `nil` if it is writable.
    private var blockedSince: Timestamp?
    /// Slot in the connection limit of the session's user; `nil` if the session is not counted.
    private var slot: ConnectionSlot?
    private var messageCount: Int64 = 0
    private(set) var lastReceivedAt: Timestamp
    private var pingedAt: Timestamp
    private(set) var isClosed = false

    /// Creates a session; `id` must be unique across sessions and restarts of the gateway.
    init(
        _ id: String, _ claims: TokenClaims, _ writer: any SessionWriter, loop: any EventLoop, tokens: TokenVerifier,
        connections: ConnectionSettings, metrics: SocketMetrics
    ) {
        let now = Self.now
        self.id = id
        self.loop = loop
        self.writer = writer
        self.tokens = tokens
        self.connections = connections
        socketMetrics = metrics
        self.claims = claims
        lastReceivedAt = now
        pingedAt = now
    }

    /// Monotonic time, so that a change of the wall clock closes no connection.
    static var now: Timestamp {
        Timestamp(milliseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000))
    }

    /// Counts a message of the client; returns whether it is within the rate limit.
    func countMessage() -> Bool { true }

    /// Called when the session ends; ``send(_:)`` has no effect from then on.
    func didEnd() {}

    /// Returns the reason why a token with `claims` is not allowed for the session; `nil` if it is allowed.
    func denialReason(for claims: TokenClaims) -> String? { nil }

    /// Called when a new token has replaced the current one.
    func tokenChanged() {}

    /// Called every second with the wall-clock time.
    func tick(_ time: Timestamp) { checkConnection(at: time) }

    func notifyShutdown() { closeForShutdown() }

    /// Closes the connection if its token is invalid or its client silent or slow; otherwise, sends pings.
    ///
    /// `time` is the wall-clock time, for the expiry of tokens.
    final func checkConnection(at time: Timestamp) {
        let now = Self.now
        if claims.isExpired(at: time) { return refuse(.expired) }
        if isKeyWithdrawn { return refuse(.invalid(reason: .unknownKey)) }
        if now.milliseconds - lastReceivedAt.milliseconds > connections.clientTimeout.wholeMilliseconds {
            return close(.goingAway)
        }
        if let blockedSince,
            now.milliseconds - blockedSince.milliseconds > connections.slowReaderTimeout.wholeMilliseconds
        {
            return closeSlow()
        }
        // Not counted against the rate limit, so that a client that sends at its full rate gets a pong and does not
        // assume that the connection is lost.
        answerPing(isCounted: false)
        guard now.milliseconds - pingedAt.milliseconds >= connections.pingInterval.wholeMilliseconds else { return }
        pingedAt = now
        // Pings must not accumulate for a client that does not read; it is closed as a slow reader instead.
        if writer.isWritable { writer.ping() } else if blockedSince == nil { blockedSince = now }
    }

    /// Whether the key that verified the token was removed from the key file; checked once per key generation.
    private var isKeyWithdrawn: Bool {
        let generation = tokens.keyGeneration
        guard generation != keyGeneration else { return false }
        keyGeneration = generation
        return claims.key.map { !tokens.isInUse($0) } ?? false
    }

    /// Records that data has arrived from the client.
    final func recordActivity() {
        lastReceivedAt = Self.now
        slot?.recordActivity(at: lastReceivedAt)
    }

    /// Counts the session in the connection limit of its user, or closes it if the limit is reached.
    final func register(in limiter: ConnectionLimiter, user: String) {
        let session = NIOLoopBound(self, eventLoop: loop)
        slot = limiter.acquire(user, at: Self.now) { [loop] in loop.execute { session.value.close(.goingAway) } }
        if slot == nil { refuseTooMany() }
    }

    /// Ends the session without closing the connection.
    final func end() {
        guard !isClosed else { return }
        isClosed = true
        slot?.release()
        slot = nil
        didEnd()
        outbox.removeAll()
        pong = nil
    }
}

extension ClientSession {
    /// Answers a ping as soon as possible; a newer ping replaces an unanswered one (RFC 6455, section 5.5.3).
    final func receivePing(_ data: ByteBuffer) {
        recordActivity()
        pong = ControlFrame.pong(data)
        answerPing()
    }

    /// Writes the pending pong if the connection is writable and, if `isCounted`, the rate limit allows it.
    private func answerPing(isCounted: Bool = true) {
        guard !isClosed, let frame = pong else { return }
        guard isReadyForFrames else {
            if blockedSince == nil { blockedSince = Self.now }
            return
        }
        guard !isCounted || countMessage() else { return }
        pong = nil
        writer.write(frame)
        writer.flush()
    }
}

extension ClientSession {
    /// Creates a message with the members `message_id`, `session_id`, `timestamp` and `members`.
    func message(
        _ type: String, _ requestID: ClientMessage.RequestID? = nil, _ members: (inout MessageWriter) -> Void = { _ in }
    ) -> ByteBuffer {
        messageCount += 1
        var writer = MessageWriter(type: type)
        writer.number("message_id", messageCount)
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

    /// Creates an error message; `retryAfter` is in milliseconds.
    func error(
        _ code: GatewayErrorCode, _ text: String, _ requestID: ClientMessage.RequestID? = nil, retryAfter: Int64? = nil,
        _ members: (inout MessageWriter) -> Void = { _ in }
    ) -> ByteBuffer {
        error(code: code.rawValue, text, requestID, retryAfter: retryAfter, members)
    }

    /// Creates an error message with the code of a dead letter or of ``GatewayErrorCode``.
    func error(
        code: String, _ text: String, _ requestID: ClientMessage.RequestID? = nil, retryAfter: Int64? = nil,
        _ members: (inout MessageWriter) -> Void = { _ in }
    ) -> ByteBuffer {
        message("error", requestID) { writer in
            writer.text("code", code)
            writer.text("message", text)
            members(&writer)
            if let retryAfter { writer.number("retry_after_ms", retryAfter) }
        }
    }

    func sendWelcome() {
        send(message("welcome") { $0.number("ping_interval_ms", connections.pingInterval.wholeMilliseconds) })
        flush()
    }

    func send(_ message: ByteBuffer) { send(frame: writer.frame(message)) }

    /// Sends a frame, or queues it until the connection is writable.
    ///
    /// `position` is the channel whose position the frame reports; a newer position replaces a queued one.
    func send(frame: ByteBuffer, position: ChannelName? = nil) {
        guard !isClosed else { return }
        if isReadyForFrames { return writer.write(frame) }
        if blockedSince == nil { blockedSince = Self.now }
        if !outbox.append(frame, position: position) { closeSlow() }
    }

    /// Whether a frame can be written now: nothing is queued and the connection is writable.
    private var isReadyForFrames: Bool {
        guard outbox.isEmpty else { return false }
        // NIO counts unflushed bytes as pending; without a flush, a fast client would look slow.
        if !writer.isWritable { writer.flush() }
        return writer.isWritable
    }

    func flush() { writer.flush() }

    /// Writes queued frames when the connection is writable again.
    func becameWritable() {
        while writer.isWritable, let frame = outbox.popFirst() { writer.write(frame) }
        blockedSince = outbox.isEmpty ? nil : Self.now
        writer.flush()
        answerPing()
    }
}

extension ClientSession {
    /// Verifies a new token, replaces the current one and responds.
    func authenticate(_ token: String?, _ requestID: ClientMessage.RequestID?) {
        let session = NIOLoopBound(self, eventLoop: loop)
        tokens.verify(token ?? "", on: loop) { session.value.authenticated($0, requestID) }
    }

    private func authenticated(
        _ result: Result<TokenClaims, TokenRejection>, _ requestID: ClientMessage.RequestID?
    ) {
        guard !isClosed else { return }
        switch result {
        case .success(let claims):
            if let reason = denialReason(for: claims) { return refuse(reason) }
            self.claims = claims
            keyGeneration = nil
            tokenChanged()
            send(message("authenticated", requestID) { $0.number("expires_at", claims.expiresAt.milliseconds) })
            flush()
        case .failure(let rejection): refuse(rejection)
        }
    }

    func refuse(_ rejection: TokenRejection) {
        close(.token, error(rejection.answer.code, rejection.answer.text))
    }

    func refuse(_ refusal: SocketRefusal) {
        switch refusal {
        case .token(let rejection): refuse(rejection)
        case .tooFast(let wait):
            close(
                .rateLimited,
                error(.rateLimited, "Too many connections from this address; retry later.", retryAfter: wait))
        }
    }

    /// Closes a connection over the limit of its user.
    func refuseTooMany() {
        close(
            .rateLimited,
            error(
                .rateLimited, "This user has too many open connections; close one first.",
                retryAfter: connections.pingInterval.wholeMilliseconds))
    }

    /// Closes a connection whose unfinished message uses memory that other clients need.
    func closeUnfinished() {
        close(
            .tryAgainLater,
            error(.tryAgain, "Too many unfinished messages; reconnect.", retryAfter: 1000))
    }

    /// Closes a connection that the client's token does not allow.
    func refuse(_ reason: String) { close(.token, error(.notAllowed, reason)) }

    /// Random delay before a client reconnects, in milliseconds; spreads the reconnections.
    var reconnectWait: Int64 { .random(in: 100...max(100, connections.reconnectSpread.wholeMilliseconds)) }

    /// Closes the connection for a shutdown; `retryAfter` is in milliseconds.
    func closeForShutdown(retryAfter wait: Int64? = nil) {
        close(
            .serviceRestart,
            error(.serverClosing, "The gateway is shutting down; reconnect.", retryAfter: wait ?? reconnectWait))
    }

    func closeSlow() {
        close(.slowReader, error(.slowReader, "The client reads too slowly; reconnect to resume."))
    }

    /// Closes the connection, after an optional last message.
    func close(_ code: SocketCloseCode, _ message: ByteBuffer? = nil) {
        guard !isClosed else { return }
        end()
        socketMetrics.closes.increment(code)
        if let message { writer.write(writer.frame(message)) }
        writer.close(code)
    }
}
