import NIOCore
import Runtime
import Support

/// A client's connection, whichever kind it is and whichever gateway it leads to: its token, what waits for it, and its
/// end.
///
/// Belongs to its event loop.
class ClientSession {
    let id: String
    let loop: any EventLoop
    let writer: any SessionWriter
    let tokens: TokenGate
    let connections: ConnectionSettings
    let socketMetrics: SocketMetrics
    private(set) var claims: TokenClaims
    /// The generation of keys in which the claims' key was found in use; `nil` before it was looked for.
    private var keyGeneration: Int?
    private var outbox = SendQueue()
    /// The answer to the client's last ping, until it is written.
    private var pong: ByteBuffer?
    /// Since when the client takes nothing.
    private var blockedSince: Timestamp?
    /// The session's place among those of its user; `nil` where they are not counted.
    private var held: HeldConnection?
    /// Control messages sent.
    private var messages: Int64 = 0
    private(set) var heardAt: Timestamp
    private var pingedAt: Timestamp
    private(set) var isClosed = false

    init(
        _ opening: some SessionOpening, loop: any EventLoop, tokens: TokenGate, connections: ConnectionSettings,
        metrics: SocketMetrics
    ) {
        let now = Self.now
        id = opening.sessionID
        self.loop = loop
        writer = opening.writer
        self.tokens = tokens
        self.connections = connections
        socketMetrics = metrics
        claims = opening.claims
        heardAt = now
        pingedAt = now
    }

    /// A clock that only goes forward: a change of the machine's time ends no connection.
    static var now: Timestamp {
        Timestamp(milliseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000))
    }

    /// Counts a message of the client's in its rate.
    /// - Returns: whether it may be answered now.
    func countMessage() -> Bool { true }

    /// The client's first message may come.
    func began() {
        send(message("welcome") { $0.number("ping_interval_ms", connections.pingInterval.wholeMilliseconds) })
        flush()
    }

    /// The client has gone, or is to go: nothing is sent to it any more.
    func ended() {}

    /// Judges a new token before it takes the place of the old one; a text says why it is refused.
    func objection(to claims: TokenClaims) -> String? { nil }

    /// A new token has taken the place of the old one.
    func tokenChanged() {}

    /// The gateway stops.
    func tellClosing() { closeForStop(retryAfter: reconnectWait) }

    /// A message of this session in the form of its connection.
    func frame(_ message: ByteBuffer) -> ByteBuffer { WebSocketText.frame(message) }

    /// What is to be done every second; `time`: of the machine, by which tokens expire.
    func tick(_ time: Timestamp) {
        let now = Self.now
        if claims.isExpired(at: time) { return refuse(.expired) }
        if isKeyWithdrawn { return refuse(.invalid(reason: .unknownKey)) }
        if now.milliseconds - heardAt.milliseconds > connections.silence.wholeMilliseconds { return close(.goingAway) }
        if let blockedSince, now.milliseconds - blockedSince.milliseconds > connections.patience.wholeMilliseconds {
            return closeSlow()
        }
        // Also of a client that sends messages as fast as it may: without an answer it would take the connection for lost.
        answerPing(isCounted: false)
        guard now.milliseconds - pingedAt.milliseconds >= connections.pingInterval.wholeMilliseconds else { return }
        pingedAt = now
        // What a client that takes nothing does not get must not pile up; it is closed as a slow one.
        if writer.isWritable { writer.ping() } else if blockedSince == nil { blockedSince = now }
    }

    /// Whether the key that has checked the token is out of use; looked for once per generation of keys.
    private var isKeyWithdrawn: Bool {
        let generation = tokens.keyGeneration
        guard generation != keyGeneration else { return false }
        keyGeneration = generation
        return !tokens.isInUse(claims)
    }

    /// The client has sent something: it is there.
    final func heard() {
        heardAt = Self.now
        held?.heard(at: heardAt)
    }

    /// Counts the session among those of its user until it ends, or refuses it where they are too many.
    final func hold(in all: HeldConnections, user: String) {
        let session = NIOLoopBound(self, eventLoop: loop)
        held = all.hold(user, at: Self.now) { [loop] in loop.execute { session.value.close(.goingAway) } }
        if held == nil { refuseTooMany() }
    }

    /// The client has gone.
    final func end() {
        guard !isClosed else { return }
        isClosed = true
        held?.release()
        held = nil
        ended()
        outbox.removeAll()
        pong = nil
    }
}

/// The client's pings.
extension ClientSession {
    /// Answers a ping, at once or later; of several that are not answered yet, the last one alone (RFC 6455, 5.5.3).
    final func receivePing(_ data: ByteBuffer) {
        heard()
        pong = ControlFrame.pong(data)
        answerPing()
    }

    /// Writes the answer that is due where the client takes it and, if it is counted, its rate of messages allows it.
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

/// What goes to the client.
extension ClientSession {
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

    /// `retryAfter`: in milliseconds.
    func error(
        _ code: GatewayErrorCode, _ text: String, _ requestID: ClientMessage.RequestID? = nil, retryAfter: Int64? = nil,
        _ members: (inout MessageWriter) -> Void = { _ in }
    ) -> ByteBuffer {
        error(code: code.rawValue, text, requestID, retryAfter: retryAfter, members)
    }

    /// An error whose code is that of a dead letter, or one of ours.
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

    func send(_ message: ByteBuffer) { send(frame: frame(message)) }

    /// Sends a frame as it is, or keeps it until the client takes it.
    ///
    /// `position`: of which channel it tells the position, so that a newer one may take its place.
    func send(frame: ByteBuffer, position: ChannelName? = nil) {
        guard !isClosed else { return }
        if isReadyForFrames { return writer.write(frame) }
        if blockedSince == nil { blockedSince = Self.now }
        if !outbox.append(frame, position: position) { closeSlow() }
    }

    /// Whether a frame can be written at once: nothing waits before it, and the connection takes more.
    private var isReadyForFrames: Bool {
        guard outbox.isEmpty else { return false }
        // What is not flushed yet counts as waiting: only the client's own slowness is to be seen.
        if !writer.isWritable { writer.flush() }
        return writer.isWritable
    }

    func flush() { writer.flush() }

    /// The client takes data again.
    func becameWritable() {
        while writer.isWritable, let frame = outbox.popFirst() { writer.write(frame) }
        blockedSince = outbox.isEmpty ? nil : Self.now
        writer.flush()
        answerPing()
    }
}

/// Tokens, and the end of a connection.
extension ClientSession {
    /// Has a new token take the place of the old one, and answers.
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
            if let objection = objection(to: claims) { return refuse(objection) }
            self.claims = claims
            keyGeneration = nil
            tokenChanged()
            send(message("authenticated", requestID) { $0.number("expires_at", claims.expiresAt.milliseconds) })
            flush()
        case .failure(let rejection): refuse(rejection)
        }
    }

    func refuse(_ rejection: TokenRejection) {
        close(.token, error(GatewayErrorCode(rejection), rejection.advice))
    }

    /// Closes the connection of a client that was not let in.
    func refuse(_ refusal: SocketRefusal) {
        switch refusal {
        case .token(let rejection): refuse(rejection)
        case .tooFast(let wait):
            close(
                .rateLimited,
                error(.rateLimited, "Connections from this address come too fast; wait.", retryAfter: wait))
        }
    }

    /// Closes a connection of a user who has as many as allowed.
    func refuseTooMany() {
        close(
            .rateLimited,
            error(
                .rateLimited, "This user has too many connections; close one of them first.",
                retryAfter: connections.pingInterval.wholeMilliseconds))
    }

    /// Closes a connection whose unfinished message needs memory that others need more.
    func closeUnfinished() {
        close(
            .tryAgainLater,
            error(.tryAgain, "Too many messages are sent slowly at the same time; connect again.", retryAfter: 1000))
    }

    /// Closes the connection of a client whose token does not allow what it is for.
    func refuse(_ objection: String) { close(.token, error(.notAllowed, objection)) }

    /// How long a client is told to wait before it connects again, in milliseconds: each another time, so that they do
    /// not all come at once.
    var reconnectWait: Int64 { .random(in: 100...max(100, connections.reconnectSpread.wholeMilliseconds)) }

    /// `retryAfter`: in milliseconds.
    func closeForStop(retryAfter wait: Int64) {
        close(.serviceRestart, error(.serverClosing, "The gateway stops; connect again.", retryAfter: wait))
    }

    func closeSlow() {
        close(.slowReader, error(.slowReader, "Updates are taken too slowly; connect again to resume."))
    }

    /// Closes, after a last message where there is one.
    func close(_ code: SocketCloseCode, _ message: ByteBuffer? = nil) {
        guard !isClosed else { return }
        end()
        socketMetrics.countClose(code)
        if let message { writer.write(frame(message)) }
        writer.close(code)
    }
}
