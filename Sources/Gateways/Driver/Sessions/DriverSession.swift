import Codec
import DequeModule
import Domain
import Kafka
import NIOCore
import Support

/// WebSocket session of a driver's device: its messages and their acknowledgements.
final class DriverSession: ClientSession, ClientMessageHandler {
    /// Time limit for outstanding acknowledgements on shutdown, in milliseconds.
    private static let closingMilliseconds: Int64 = 5000

    /// Maximum size of an `authenticate` or `app_state` message, in bytes; a token has up to 8 KiB.
    private static let maximumRequestBytes = 16_384

    let registry: DriverConnectionRegistry
    let driver: String
    private let socket: SocketWriter
    private var window: AcknowledgementWindow
    private var activity: DriverActivity
    /// The last advice sent.
    private var advice: SamplingAdvice?
    private var warnings = SentWarningFilter()
    /// Messages received before reading was paused.
    private var waiting: Deque<ByteBuffer> = []
    /// Whether the oldest waiting message is already counted against the driver's rate limit.
    private var isRateCounted = false
    /// Acknowledged prefix of the records; `nil` while the prefix is empty.
    private var progress: AcknowledgementWindow.Progress?
    /// Ids of acknowledged messages not yet reported to the device.
    private var acknowledgedIDs: [String] = []
    private var hasUnsentAcknowledgement = false
    /// Whether ``processWaiting()`` is scheduled for the time at which the rate limit allows a message.
    private var isProcessingScheduled = false
    private var closingSince: Timestamp?

    init(_ handshake: SocketHandshake, registry: DriverConnectionRegistry) {
        self.registry = registry
        socket = handshake.socket
        driver = handshake.claims.driver ?? ""
        window = AcknowledgementWindow(capacity: registry.shared.settings.windowRecords)
        activity = DriverActivity(handshake.parameter("trip_state").flatMap(TripState.named))
        activity.isInBackground = handshake.parameter("app_state").flatMap(AppState.named) == .background
        super.init(
            handshake.sessionID, handshake.claims, handshake.socket, loop: registry.loop,
            tokens: registry.shared.tokens, connections: registry.shared.settings.connections,
            metrics: registry.metrics.sockets)
    }

    /// Admits the device, or closes the connection with an error.
    func admit(_ handshake: SocketHandshake) {
        if case .failure(let refusal) = handshake.verification { return refuse(refusal) }
        if let reason = denialReason(for: claims) { return refuse(reason) }
        register(in: registry.shared.socketLimiter, user: driver)
    }

    func start() {
        sendWelcome()
        if let trips = registry.trips(of: driver) { activity.apply(trips) }
        advise()
        registry.subscribeToWarnings(self)
    }

    override func countMessage() -> Bool { registry.acquire(driver, at: Self.now) == nil }

    override func didEnd() {
        waiting = []
        registry.close(self)
    }

    override func denialReason(for claims: TokenClaims) -> String? {
        guard let named = claims.driver, ByteSlice.withBytes(of: named, { Identifier.isValid($0) }) else {
            return "The token must have the claim driver with a valid driver id."
        }
        return named == driver ? nil : "The new token has another driver; open one connection per driver."
    }

    override func tick(_ time: Timestamp) {
        // Messages do not arrive while reading is paused, so the device must not be considered silent.
        if !waiting.isEmpty { recordActivity() }
        checkConnection(at: time)
        guard !isClosed else { return }
        if let closingSince, Self.now.milliseconds - closingSince.milliseconds >= Self.closingMilliseconds {
            return closeForShutdown()
        }
        processWaiting()
        advise()
    }

    /// Stops reading, and closes the connection when all records are acknowledged or after the time limit.
    override func notifyShutdown() {
        guard closingSince == nil else { return }
        closingSince = Self.now
        socket.pauseReading()
        waiting = []
        closeIfDone()
    }

    private func closeIfDone() {
        if closingSince != nil, window.outstanding == 0 { closeForShutdown() }
    }

    /// Sends the sampling advice if it has changed.
    private func advise() {
        let current = SamplingAdvice(activity.conditions(at: Self.now))
        guard !isClosed, current != advice else { return }
        advice = current
        send(current.message)
        flush()
    }
}

extension DriverSession {
    /// Applies the driver's trips and sends the sampling advice if it has changed.
    func update(_ trips: KnownTrips) {
        activity.apply(trips)
        advise()
    }

    /// Sends a warning, unless ``SentWarningFilter`` withholds it or the connection is closed.
    /// - Returns: whether it was sent.
    func send(_ warning: DriverWarning) -> Bool {
        guard !isClosed, warnings.shouldSend(warning) else { return false }
        send(message("location_warning") { $0.object("payload", warning.payload) })
        flush()
        return true
    }

    /// Resets the warning filter, because event ids restart.
    func restartWarnings() { warnings.restart() }
}

/// Processing of messages: rate limit, room in the window and the queue, parsing, queuing of the record.
extension DriverSession {
    func receive(_ text: ByteBuffer) {
        recordActivity()
        guard closingSince == nil else { return }
        guard waiting.isEmpty, process(text) else {
            waiting.append(text)
            return socket.pauseReading()
        }
    }

    /// Processes waiting messages, then resumes reading.
    func processWaiting() {
        guard !isClosed, closingSince == nil, !waiting.isEmpty else { return }
        while let text = waiting.first {
            guard process(text) else { return }
            // The message may have closed the connection.
            if waiting.popFirst() == nil { return }
        }
        socket.resumeReading()
    }

    private func processWaiting(after milliseconds: Int64) {
        guard !isProcessingScheduled else { return }
        isProcessingScheduled = true
        let session = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(milliseconds)) {
            session.value.isProcessingScheduled = false
            session.value.processWaiting()
        }
    }

    /// Processes one message.
    /// - Returns: `false` if it has to wait for the rate limit, the window or the queue.
    private func process(_ text: ByteBuffer) -> Bool {
        guard !isClosed else { return true }
        if !isRateCounted {
            if let wait = registry.acquire(driver, at: Self.now) {
                processWaiting(after: wait)
                return false
            }
            isRateCounted = true
        }
        guard window.hasRoom else { return false }
        let isDone = text.withUnsafeReadableBytes { bytes in
            ByteSlice.withBytes(of: driver) { process(MessageOutline(ByteSlice(bytes)), $0) }
        }
        if isDone { isRateCounted = false }
        return isDone
    }

    private func process(_ message: MessageOutline, _ driver: ByteSlice) -> Bool {
        if applyRequest(message) { return true }
        // Checked before parsing, because the message is parsed again after it has waited.
        if let target = message.target, !registry.hasRoom(for: driver, target, bytes: message.text.count) {
            return false
        }
        switch registry.reader.read(message, driver: driver) {
        case .locations(let locations):
            guard queue(locations.value, to: .locations, driver, message, locations.sequences) else { return false }
            activity.record(locations, at: Self.now)
            if locations.unreadableCount > 0 { sendUnreadableFixes(locations, message) }
            advise()
        case .tripStatus(let status, let value):
            guard queue(value, to: .trips, driver, message, nil) else { return false }
            activity.record(tripID: status.tripID, status.state)
            advise()
        case .ping:
            send(self.message("pong", message.requestID))
            flush()
        case .pong: break
        case .refused(let fault): refuse(message, fault)
        }
        return true
    }

    /// Applies an `authenticate` or `app_state` message; these produce no record.
    /// - Returns: `false` for other messages, and for a message that is too large or cannot be decoded.
    private func applyRequest(_ message: MessageOutline) -> Bool {
        guard message.kind == .authenticate || message.kind == .appState,
            message.text.count <= Self.maximumRequestBytes,
            let request = ClientMessage.read(ByteBuffer(bytes: message.text.buffer))
        else { return false }
        if message.kind == .authenticate {
            authenticate(request.token, request.requestID)
        } else if let state = message.appState {
            activity.isInBackground = state == .background
            advise()
        } else {
            send(error(.invalidMessage, "state must be foreground or background.", request.requestID))
            flush()
        }
        return true
    }

    /// Queues a record.
    /// - Returns: `false` if it has to wait.
    private func queue(
        _ value: ByteSlice, to target: DriverProducer.Target, _ driver: ByteSlice, _ message: MessageOutline,
        _ sequences: SequenceSpan?
    ) -> Bool {
        let origin = RecordOrigin.session(self, record: window.next, messageID: message.messageID?.string)
        switch registry.queue(value, to: target, driver: driver, from: origin) {
        case .queued: window.append(sequences)
        case .queueFull: return false
        case .refused(let error):
            registry.metrics.count(.failed)
            fail(error)
        }
        return true
    }

    private func refuse(_ message: MessageOutline, _ fault: MessageFault) {
        registry.metrics.count(.refused)
        send(
            error(code: "\(fault.code)", fault.text, fault.isReadable ? message.requestID : nil) { writer in
                writer.text("field", fault.field.isEmpty ? nil : fault.field)
                if !fault.unreadable.isEmpty { writer.unreadable(fault.unreadable) }
            })
        flush()
    }

    /// Reports the unreadable fixes of a queued batch to the device.
    private func sendUnreadableFixes(_ locations: DeviceLocations, _ message: MessageOutline) {
        send(
            self.message("unreadable_fixes", message.requestID) { writer in
                writer.number("fixes", Int64(locations.fixCount))
                writer.number("unreadable_fixes", Int64(locations.unreadableCount))
                writer.unreadable(locations.unreadable)
            })
        flush()
    }
}

extension DriverSession {
    /// Records the acknowledgement of a record.
    /// - Returns: whether ``sendAcknowledgement()`` has become necessary because of this record.
    func acknowledge(_ record: Int, _ messageID: String?) -> Bool {
        let wasPending = hasUnsentAcknowledgement
        if let advanced = window.acknowledge(record) {
            progress = advanced
            hasUnsentAcknowledgement = true
        }
        if let messageID {
            acknowledgedIDs.append(messageID)
            hasUnsentAcknowledgement = true
        }
        return hasUnsentAcknowledgement && !wasPending
    }

    /// Sends the acknowledgements to the device and processes waiting messages.
    func sendAcknowledgement() {
        guard !isClosed else { return }
        send(
            message("ack") { writer in
                writer.number("records", Int64(progress?.records ?? 0))
                writer.number("sequence", progress?.sequence)
                writer.text("session", progress?.session ?? "")
                writer.list("message_ids", acknowledgedIDs) { $1 += $0 }
            })
        acknowledgedIDs.removeAll(keepingCapacity: true)
        hasUnsentAcknowledgement = false
        flush()
        closeIfDone()
        processWaiting()
    }

    /// Closes the connection because a record cannot be written; the device must resend the record.
    func fail(_ failure: KafkaError) {
        guard !isClosed else { return }
        if failure.code == .recordTooLarge {
            return close(.tooLarge, error(.tooLarge, "The message exceeds Kafka's size limit; send smaller batches."))
        }
        close(
            .tryAgainLater,
            error(
                .notWritten, "A message could not be written; reconnect and resend unacknowledged messages.",
                retryAfter: Int64.random(in: 1000...3000)))
    }
}
