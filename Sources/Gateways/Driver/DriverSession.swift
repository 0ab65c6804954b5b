import Codec
import DequeModule
import Kafka
import Model
import NIOCore
import Support

/// The WebSocket of a driver's device: what it has sent, and how far Kafka has acknowledged it.
final class DriverSession: ClientSession, ClientMessageHandler {
    /// How long the acknowledgements of what was sent are waited for when the gateway stops, in milliseconds.
    private static let closingMilliseconds: Int64 = 5000

    /// Of a message with a new token, which has 8 KiB at most.
    private static let maximumAuthenticateBytes = 16_384

    let hub: DriverConnectionRegistry
    let driver: String
    private let socket: SocketWriter
    private var window: AcknowledgementWindow
    private var activity: DriverActivity
    private var advisor = SamplingAdvisor()
    private var warnings = SentWarningFilter()
    /// Messages that were read from the connection before its reading was paused.
    private var waiting: Deque<ByteBuffer> = []
    /// Whether the oldest of them counts in the driver's rate already.
    private var isCharged = false
    /// How far everything is acknowledged; `nil` before the first record is.
    private var progress: AcknowledgementWindow.Progress?
    /// Ids of messages that are acknowledged, until the device is told.
    private var acknowledgedIDs: [String] = []
    /// Whether the device is to be told of acknowledgements.
    private var hasNews = false
    /// Whether ``proceed()`` is to be called when the driver's rate allows it.
    private var isProceedScheduled = false
    /// Since when the gateway stops.
    private var closingSince: Timestamp?

    init(_ handshake: SocketHandshake, hub: DriverConnectionRegistry) {
        self.hub = hub
        socket = handshake.socket
        driver = handshake.claims.driver ?? ""
        window = AcknowledgementWindow(capacity: hub.settings.windowRecords)
        activity = DriverActivity(handshake.parameter("trip_state").flatMap(TripState.named))
        activity.isInBackground = handshake.parameter("app_state").flatMap(AppState.named) == .background
        super.init(
            handshake, loop: hub.loop, tokens: hub.tokens, connections: hub.settings.connections,
            metrics: hub.metrics.sockets)
    }

    /// Lets the device in, or tells it why not.
    func admit(_ handshake: SocketHandshake) {
        if case .failure(let refusal) = handshake.verdict { return refuse(refusal) }
        if let objection = objection(to: claims) { return refuse(objection) }
        hold(in: hub.heldSockets, user: driver)
    }

    override func began() {
        super.began()
        if let trips = hub.trips(of: driver) { activity.follow(trips) }
        advise()
        hub.addToWarnings(self)
    }

    override func countMessage() -> Bool { hub.take(of: driver, at: Self.now) == nil }

    override func ended() {
        waiting = []
        hub.close(self)
    }

    override func objection(to claims: TokenClaims) -> String? {
        guard let named = claims.driver, ByteSlice.withBytes(of: named, { Identifier.isValid($0) }) else {
            return "The token names no driver: it must have the claim driver, the driver's id."
        }
        return named == driver ? nil : "The new token names another driver; open a connection for each driver."
    }

    override func tick(_ time: Timestamp) {
        // What a device sends is not heard while its connection is not read.
        if !waiting.isEmpty { heard() }
        super.tick(time)
        guard !isClosed else { return }
        if let closingSince, Self.now.milliseconds - closingSince.milliseconds >= Self.closingMilliseconds {
            return super.tellClosing()
        }
        proceed()
        advise()
    }

    /// Reads no more, and closes once everything is acknowledged.
    override func tellClosing() {
        guard closingSince == nil else { return }
        closingSince = Self.now
        socket.pauseReading()
        waiting = []
        closeIfDone()
    }

    private func closeIfDone() {
        if closingSince != nil, window.outstanding == 0 { super.tellClosing() }
    }

    /// Tells the device how to sample, where that has changed.
    private func advise() {
        guard !isClosed, let advice = advisor.advice(for: activity.conditions(at: Self.now)) else { return }
        send(advice.message)
        flush()
    }
}

/// What the device is told of its driver.
extension DriverSession {
    /// Takes over the driver's trips, and tells the device how to sample where that has changed.
    func follow(_ trips: KnownTrips) {
        activity.follow(trips)
        advise()
    }

    /// Tells the device of a warning, unless it knows it already.
    /// - Returns: whether it was told.
    func tell(_ warning: DriverWarning) -> Bool {
        guard !isClosed, warnings.isNews(warning) else { return false }
        send(message("location_warning") { $0.object("payload", warning.payload) })
        flush()
        return true
    }
}

extension DriverSession {
    /// The events of the driver's warnings begin again.
    func restartWarnings() { warnings.restart() }
}

/// What the device sends.
extension DriverSession {
    func take(_ text: ByteBuffer) {
        heard()
        guard closingSince == nil else { return }
        guard waiting.isEmpty, handle(text) else {
            waiting.append(text)
            return socket.pauseReading()
        }
    }

    /// Goes on with what waits, and reads the connection again when nothing does.
    func proceed() {
        guard !isClosed, closingSince == nil, !waiting.isEmpty else { return }
        while let text = waiting.first {
            guard handle(text) else { return }
            // A message may have closed the connection.
            if waiting.popFirst() == nil { return }
        }
        socket.resumeReading()
    }

    /// Does what a message says.
    /// - Returns: `false` where that has to wait.
    private func handle(_ text: ByteBuffer) -> Bool {
        guard !isClosed else { return true }
        if !isCharged {
            if let wait = hub.take(of: driver, at: Self.now) {
                proceed(after: wait)
                return false
            }
            isCharged = true
        }
        guard window.hasRoom else { return false }
        let isDone = text.withUnsafeReadableBytes { bytes in
            ByteSlice.withBytes(of: driver) { read(ByteSlice(bytes), $0) }
        }
        if isDone { isCharged = false }
        return isDone
    }

    private func proceed(after milliseconds: Int64) {
        guard !isProceedScheduled else { return }
        isProceedScheduled = true
        let session = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(milliseconds)) {
            session.value.isProceedScheduled = false
            session.value.proceed()
        }
    }

    private func read(_ message: ByteSlice, _ driver: ByteSlice) -> Bool {
        switch hub.reader.read(message, driver: driver) {
        case .locations(let locations):
            let id = DriverMessageReader.messageID(of: message)
            guard write(.locations(locations.value), driver, id, locations.sequences) else { return false }
            activity.note(locations, at: Self.now)
            if locations.unreadableCount > 0 { tellUnreadable(locations, id) }
            advise()
        case .tripStatus(let status):
            let id = DriverMessageReader.messageID(of: message)
            guard write(.tripStatus(status), driver, id, nil) else { return false }
            activity.note(tripID: status.tripID, status.state)
            advise()
        case .ping:
            send(self.message("pong", ClientMessage.RequestID(json: DriverMessageReader.messageID(of: message))))
            flush()
        case .pong: break
        case .refused(let fault): refuse(message, fault)
        }
        return true
    }

    /// - Returns: `false` where the record has to wait.
    private func write(
        _ record: DriverRecord, _ driver: ByteSlice, _ messageID: ByteSlice?, _ sequences: SequenceSpan?
    ) -> Bool {
        let queued = hub.write(record, driver: driver, of: self, messageID: messageID?.string) {
            guard let ticket = window.send(sequences) else {
                preconditionFailure("A record was written though the window is full.")
            }
            return ticket
        }
        switch queued {
        case .yes: return true
        case .later: return false
        case .failed(let error):
            hub.metrics.count(.failed)
            fail(error)
            return true
        }
    }

    private func refuse(_ message: ByteSlice, _ fault: MessageFault) {
        if fault.mayBeOfConnection, message.count <= Self.maximumAuthenticateBytes,
            let request = ClientMessage.read(ByteBuffer(bytes: message.buffer))
        {
            if request.type == "authenticate" { return authenticate(request.token, request.requestID) }
            if request.type == "app_state" { return note(AppState.read(message), request.requestID) }
        }
        hub.metrics.count(.refused)
        let id = fault.isReadable ? DriverMessageReader.messageID(of: message) : nil
        send(
            error(code: "\(fault.code)", fault.text, ClientMessage.RequestID(json: id)) { writer in
                writer.text("field", fault.field.isEmpty ? nil : fault.field)
                if !fault.unreadable.isEmpty { writer.unreadable(fault.unreadable) }
            })
        flush()
    }

    /// Notes whether the app is in the background.
    private func note(_ state: AppState?, _ requestID: ClientMessage.RequestID?) {
        guard let state else {
            send(error(.invalidMessage, "state must be foreground or background.", requestID))
            return flush()
        }
        activity.isInBackground = state == .background
        advise()
    }

    /// Tells the device which fixes of a batch that is written cannot be read.
    private func tellUnreadable(_ locations: DeviceLocations, _ messageID: ByteSlice?) {
        send(
            message("unreadable_fixes", ClientMessage.RequestID(json: messageID)) { writer in
                writer.number("fixes", Int64(locations.fixCount))
                writer.number("unreadable_fixes", Int64(locations.unreadableCount))
                writer.unreadable(locations.unreadable)
            })
        flush()
    }
}

/// What Kafka says.
extension DriverSession {
    /// Notes that a record is acknowledged.
    /// - Returns: whether ``tellAcknowledged()`` is to be called for the first time since it was.
    func acknowledge(_ ticket: Int, _ messageID: String?) -> Bool {
        let hadNews = hasNews
        if let advanced = window.acknowledge(ticket) {
            progress = advanced
            hasNews = true
        }
        if let messageID {
            acknowledgedIDs.append(messageID)
            hasNews = true
        }
        return hasNews && !hadNews
    }

    /// Tells the device how far everything is acknowledged, and goes on with what waits.
    func tellAcknowledged() {
        guard !isClosed else { return }
        send(
            message("ack") { writer in
                writer.number("records", Int64(progress?.records ?? 0))
                writer.number("sequence", progress?.sequence)
                writer.text("session", progress?.session ?? "")
                writer.list("message_ids", acknowledgedIDs) { $1 += $0 }
            })
        acknowledgedIDs.removeAll(keepingCapacity: true)
        hasNews = false
        flush()
        closeIfDone()
        proceed()
    }

    /// Closes the connection for a record that will never be written: the device sends it again.
    func fail(_ failure: KafkaError) {
        guard !isClosed else { return }
        if failure.code == .recordTooLarge {
            return close(.tooLarge, error(.tooLarge, "A message is larger than Kafka takes; send smaller batches."))
        }
        close(
            .tryAgainLater,
            error(
                .notWritten, "A message could not be written; connect again, and send what was not acknowledged.",
                retryAfter: Int64.random(in: 1000...3000)))
    }
}
