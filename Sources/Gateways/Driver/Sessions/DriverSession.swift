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

    /// Maximum size of a message with a new token, which has up to 8 KiB.
    private static let maximumAuthenticateBytes = 16_384

    let registry: DriverConnectionRegistry
    let driver: String
    private let socket: SocketWriter
    private var window: AcknowledgementWindow
    private var activity: DriverActivity
    private var advisor = SamplingAdvisor()
    private var warnings = SentWarningFilter()
    /// Messages received before reading was paused.
    private var waiting: Deque<ByteBuffer> = []
    /// Whether the oldest waiting message is already counted in the driver's rate.
    private var isRateCounted = false
    /// Acknowledged prefix of the records; `nil` before the first acknowledgement.
    private var progress: AcknowledgementWindow.Progress?
    /// Ids of acknowledged messages not yet reported to the device.
    private var acknowledgedIDs: [String] = []
    /// Whether there are acknowledgements to report.
    private var hasUnsentAcknowledgement = false
    /// Whether ``processWaiting()`` is scheduled for when the driver's rate allows it.
    private var isProcessingScheduled = false
    /// Start of the shutdown.
    private var closingSince: Timestamp?

    init(_ handshake: SocketHandshake, registry: DriverConnectionRegistry) {
        self.registry = registry
        socket = handshake.socket
        driver = handshake.claims.driver ?? ""
        window = AcknowledgementWindow(capacity: registry.settings.windowRecords)
        activity = DriverActivity(handshake.parameter("trip_state").flatMap(TripState.named))
        activity.isInBackground = handshake.parameter("app_state").flatMap(AppState.named) == .background
        super.init(
            handshake, loop: registry.loop, tokens: registry.tokens, connections: registry.settings.connections,
            metrics: registry.metrics.sockets)
    }

    /// Admits the device, or closes the connection with an error.
    func admit(_ handshake: SocketHandshake) {
        if case .failure(let refusal) = handshake.verification { return refuse(refusal) }
        if let reason = denialReason(for: claims) { return refuse(reason) }
        register(in: registry.socketLimiter, user: driver)
    }

    override func start() {
        super.start()
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
        return named == driver ? nil : "The new token names another driver; open one connection per driver."
    }

    override func tick(_ time: Timestamp) {
        // Messages do not arrive while reading is paused, so the device must not be considered silent.
        if !waiting.isEmpty { recordActivity() }
        super.tick(time)
        guard !isClosed else { return }
        if let closingSince, Self.now.milliseconds - closingSince.milliseconds >= Self.closingMilliseconds {
            return super.notifyShutdown()
        }
        processWaiting()
        advise()
    }

    /// Stops reading, and closes the connection once all records are acknowledged.
    override func notifyShutdown() {
        guard closingSince == nil else { return }
        closingSince = Self.now
        socket.pauseReading()
        waiting = []
        closeIfDone()
    }

    private func closeIfDone() {
        if closingSince != nil, window.outstanding == 0 { super.notifyShutdown() }
    }

    /// Sends the sampling advice if it has changed.
    private func advise() {
        guard !isClosed, let advice = advisor.advice(for: activity.conditions(at: Self.now)) else { return }
        send(advice.message)
        flush()
    }
}

extension DriverSession {
    /// Applies the driver's trips and sends the sampling advice if it has changed.
    func update(_ trips: KnownTrips) {
        activity.apply(trips)
        advise()
    }

    /// Sends a warning, unless the device has it already.
    /// - Returns: whether it was sent.
    func send(_ warning: DriverWarning) -> Bool {
        guard !isClosed, warnings.shouldSend(warning) else { return false }
        send(message("location_warning") { $0.object("payload", warning.payload) })
        flush()
        return true
    }

    /// Accepts warnings whose event ids restart.
    func restartWarnings() { warnings.restart() }
}

extension DriverSession {
    func receive(_ text: ByteBuffer) {
        recordActivity()
        guard closingSince == nil else { return }
        guard waiting.isEmpty, handle(text) else {
            waiting.append(text)
            return socket.pauseReading()
        }
    }

    /// Processes waiting messages, then resumes reading.
    func processWaiting() {
        guard !isClosed, closingSince == nil, !waiting.isEmpty else { return }
        while let text = waiting.first {
            guard handle(text) else { return }
            // The message may have closed the connection.
            if waiting.popFirst() == nil { return }
        }
        socket.resumeReading()
    }

    /// Handles one message.
    /// - Returns: `false` if it has to wait.
    private func handle(_ text: ByteBuffer) -> Bool {
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
            ByteSlice.withBytes(of: driver) { read(ByteSlice(bytes), $0) }
        }
        if isDone { isRateCounted = false }
        return isDone
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

    private func read(_ message: ByteSlice, _ driver: ByteSlice) -> Bool {
        switch registry.reader.read(message, driver: driver) {
        case .locations(let locations):
            let id = DriverMessageReader.messageID(of: message)
            guard write(.locations(locations.value), driver, id, locations.sequences) else { return false }
            activity.record(locations, at: Self.now)
            if locations.unreadableCount > 0 { sendUnreadableFixes(locations, id) }
            advise()
        case .tripStatus(let status):
            let id = DriverMessageReader.messageID(of: message)
            guard write(.tripStatus(status), driver, id, nil) else { return false }
            activity.record(tripID: status.tripID, status.state)
            advise()
        case .ping:
            send(self.message("pong", ClientMessage.RequestID(json: DriverMessageReader.messageID(of: message))))
            flush()
        case .pong: break
        case .refused(let fault): refuse(message, fault)
        }
        return true
    }

    /// Queues a record.
    /// - Returns: `false` if it has to wait.
    private func write(
        _ record: DriverRecord, _ driver: ByteSlice, _ messageID: ByteSlice?, _ sequences: SequenceSpan?
    ) -> Bool {
        let queued = registry.write(record, driver: driver, of: self, messageID: messageID?.string) {
            guard let index = window.append(sequences) else {
                preconditionFailure("A record was written although the window is full.")
            }
            return index
        }
        switch queued {
        case .queued: return true
        case .full: return false
        case .failed(let error):
            registry.metrics.count(.failed)
            fail(error)
            return true
        }
    }

    private func refuse(_ message: ByteSlice, _ fault: MessageFault) {
        if fault.mayBeOfConnection, message.count <= Self.maximumAuthenticateBytes,
            let request = ClientMessage.read(ByteBuffer(bytes: message.buffer))
        {
            if request.type == "authenticate" { return authenticate(request.token, request.requestID) }
            if request.type == "app_state" { return apply(AppState.read(message), request.requestID) }
        }
        registry.metrics.count(.refused)
        let id = fault.isReadable ? DriverMessageReader.messageID(of: message) : nil
        send(
            error(code: "\(fault.code)", fault.text, ClientMessage.RequestID(json: id)) { writer in
                writer.text("field", fault.field.isEmpty ? nil : fault.field)
                if !fault.unreadable.isEmpty { writer.unreadable(fault.unreadable) }
            })
        flush()
    }

    /// Applies the app's state, or responds with an error.
    private func apply(_ state: AppState?, _ requestID: ClientMessage.RequestID?) {
        guard let state else {
            send(error(.invalidMessage, "state must be foreground or background.", requestID))
            return flush()
        }
        activity.isInBackground = state == .background
        advise()
    }

    /// Reports the unreadable fixes of a written batch.
    private func sendUnreadableFixes(_ locations: DeviceLocations, _ messageID: ByteSlice?) {
        send(
            message("unreadable_fixes", ClientMessage.RequestID(json: messageID)) { writer in
                writer.number("fixes", Int64(locations.fixCount))
                writer.number("unreadable_fixes", Int64(locations.unreadableCount))
                writer.unreadable(locations.unreadable)
            })
        flush()
    }
}

extension DriverSession {
    /// Records the acknowledgement of a record.
    /// - Returns: whether this is the first one since the last ``sendAcknowledgement()``.
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

    /// Sends the acknowledged position to the device and processes waiting messages.
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

    /// Closes the connection because a record cannot be written; the device sends it again.
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
