import Domain
import NIOCore
import NIOPosix

/// The clients of one event loop.
final class LoadLoop: @unchecked Sendable {
    // @unchecked: everything except `init` runs on `loop`.

    /// Maximum number of clients that open their first connection at the same time.
    private static let maximumOpening = 128
    /// Maximum random wait before a reconnection, in seconds; doubles with each attempt up to ``maximumWait``.
    private static let initialWait = 0.5
    private static let maximumWait = 15.0

    let loop: any EventLoop
    let handshake: ByteBuffer
    var totals = LoadTotals()
    private let port: Int
    private var clients: [LoadClient] = []
    private var unopened: ArraySlice<LoadClient> = []
    /// Clients whose first connection has no subscription yet.
    private var opening: Set<ObjectIdentifier> = []
    private var isClosed = false

    init(_ loop: any EventLoop, _ target: LoadTarget) {
        self.loop = loop
        port = target.port
        handshake = ByteBuffer(string: target.handshake)
    }

    /// Opens a socket for each of `channels`.
    func open(_ channels: [String]) {
        clients = channels.map { LoadClient($0, load: self) }
        unopened = clients[...]
        openNext()
    }

    /// Closes all connections and opens no others.
    func close() {
        isClosed = true
        unopened = []
        for client in clients { client.close() }
    }

    func subscribed(_ client: LoadClient, isResumed: Bool) {
        totals.subscribed += 1
        if isResumed { totals.resumed += 1 } else { totals.fullSnapshots += 1 }
        finishOpening(client)
    }

    func ended(_ client: LoadClient, wasSubscribed: Bool) {
        if wasSubscribed { totals.subscribed -= 1 }
        totals.ended += 1
        finishOpening(client)
        reconnect(client)
    }

    private func finishOpening(_ client: LoadClient) {
        if opening.remove(ObjectIdentifier(client)) != nil { openNext() }
    }

    private func openNext() {
        while opening.count < Self.maximumOpening, let client = unopened.popFirst() {
            opening.insert(ObjectIdentifier(client))
            connect(client)
        }
    }

    private func reconnect(_ client: LoadClient) {
        guard !isClosed else { return }
        let longest = min(Self.maximumWait, Self.initialWait * Double(1 << min(client.attempts - 1, 10)))
        let wait = TimeAmount.microseconds(Int64(Double.random(in: 0...longest) * 1e6))
        let client = NIOLoopBound(client, eventLoop: loop)
        loop.scheduleTask(in: wait) { [self] in connect(client.value) }
    }

    private func connect(_ client: LoadClient) {
        guard !isClosed else { return }
        let bound = NIOLoopBound(client, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenFailure { [self] _ in
                totals.failedAttempts += 1
                bound.value.failed()
                finishOpening(bound.value)
                reconnect(bound.value)
            }
    }
}

/// A client that reconnects when its connection ends, and resumes its channel; runs on its event loop.
final class LoadClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case disconnected, handshake, subscribing, subscribed
    }

    private let channelName: String
    private unowned let load: LoadLoop
    private var context: ChannelHandlerContext?
    private var phase = Phase.disconnected
    private var response = ByteBuffer()
    private var frames = ServerFrames()
    private var progress = LoadProgress()
    /// Failed attempts and ended connections since the last subscription.
    private(set) var attempts = 0

    init(_ channelName: String, load: LoadLoop) {
        self.channelName = channelName
        self.load = load
    }

    /// Closes the connection without a close frame.
    func close() { context?.close(promise: nil) }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        (phase, response, frames) = (.handshake, ByteBuffer(), ServerFrames())
        context.writeAndFlush(wrapOutboundOut(load.handshake), promise: nil)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let wasSubscribed = phase == .subscribed
        (phase, self.context) = (.disconnected, nil)
        attempts += 1
        load.ended(self, wasSubscribed: wasSubscribed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Counts a failed attempt to connect.
    func failed() { attempts += 1 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard phase == .handshake else { return read(buffer) }
        response.writeImmutableBuffer(buffer)
        guard let end = response.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        guard response.readableBytesView.starts(with: Array("HTTP/1.1 101".utf8)) else {
            let text = response.getSlice(at: response.readerIndex, length: 80) ?? response
            load.totals.count(error: String(buffer: text))
            return context.close(promise: nil)
        }
        response.moveReaderIndex(to: end.upperBound)
        subscribe()
        read(response)
        response = ByteBuffer()
    }

    private func subscribe() {
        phase = .subscribing
        let cursor = progress.lastEventJSON.map { #","last_event_id":\#($0)"# } ?? ""
        send(.text, #"{"type":"subscribe","channel":"\#(channelName)"\#(cursor)}"#.utf8)
    }

    private func send(_ kind: ServerFrames.Kind, _ payload: some Collection<UInt8>) {
        context?.writeAndFlush(wrapOutboundOut(ServerFrames.masked(kind, payload)), promise: nil)
    }

    private func read(_ buffer: ByteBuffer) {
        let now = UpdateProbe.now
        do {
            try frames.read(buffer) { kind, bytes in
                switch kind {
                case .text: receive(bytes, at: now)
                case .ping: send(.pong, bytes)
                case .close, .pong: break
                }
            }
        } catch {
            load.totals.count(error: "Unexpected frame with first byte \(error.firstByte).")
            context?.close(promise: nil)
        }
    }

    private func receive(_ message: UnsafeRawBufferPointer, at now: Int64) {
        if LoadMessage.isUpdate(message) { return receive(update: message, at: now) }
        switch LoadMessage.type(message) {
        case "subscribed":
            progress.subscribed(message)
            load.subscribed(self, isResumed: progress.isResumed)
            (phase, attempts) = (.subscribed, 0)
        case "error": receive(error: String(decoding: message, as: UTF8.self))
        default: break
        }
    }

    private func receive(update: UnsafeRawBufferPointer, at now: Int64) {
        guard let probe = UpdateProbe.read(update) else {
            return load.totals.count(error: "An update has no probe.")
        }
        load.totals.updates += 1
        // Updates sent while the client was disconnected would measure the outage, not the latency.
        if progress.advance(probe, update, &load.totals) {
            load.totals.latencies.record(milliseconds: (now - probe.sentAt) / 1000)
        }
    }

    private func receive(error text: String) {
        guard text.contains(#""code":"TRY_AGAIN""#), let context else { return load.totals.count(error: text) }
        let client = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .seconds(1)) {
            if client.value.phase == .subscribing { client.value.subscribe() }
        }
    }
}

/// Progress of a client in its channel, whose updates are all in one partition.
struct LoadProgress {
    /// Sequence number of the last update; `nil` between a full snapshot and the first update.
    private var sequence: Int64?
    private var event: EventID?
    /// Cursor of the last full snapshot, as JSON.
    private var cursor: String?
    /// Whether the last subscription resumed with missed events instead of a full snapshot.
    private(set) var isResumed = false
    /// Time of the last subscription, in µs; updates sent before it were missed while the client was disconnected.
    private var subscribedAt: Int64 = 0

    /// The member `last_event_id` of the next subscription, as JSON; `nil` before the first subscription.
    var lastEventJSON: String? { event.map { "\"\($0)\"" } ?? cursor }

    mutating func subscribed(_ message: UnsafeRawBufferPointer) {
        subscribedAt = UpdateProbe.now
        isResumed = lastEventJSON != nil && !LoadMessage.hasSnapshot(message)
        guard !isResumed else { return }
        (sequence, event) = (nil, nil)
        cursor = LoadMessage.cursor(of: message)
    }

    /// Applies an update and counts repeated and missing updates.
    ///
    /// - Returns: whether the update is new and was sent while the client was subscribed.
    mutating func advance(_ probe: UpdateProbe, _ update: UnsafeRawBufferPointer, _ totals: inout LoadTotals) -> Bool {
        if let sequence, probe.sequence <= sequence {
            totals.repeated += 1
            return false
        }
        if let sequence { totals.missing += Int(probe.sequence - sequence - 1) }
        sequence = probe.sequence
        event = LoadMessage.event(update) ?? event
        return probe.sentAt >= subscribedAt
    }
}
