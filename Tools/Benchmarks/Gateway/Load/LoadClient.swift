import NIOCore

/// One client of a load, which connects again when its connection ends, and resumes where it was.
///
/// Belongs to its event loop; there is no task for it.
final class LoadClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case away, shakingHands, subscribing, subscribed
    }

    private static let textFrame: UInt8 = 0x81
    private static let pongFrame: UInt8 = 0x8A
    /// How a server says that the socket is open.
    private static let accepted = "HTTP/1.1 101"

    let channelName: String
    private unowned let load: LoadLoop
    private var context: ChannelHandlerContext?
    private var phase = Phase.away
    private var answer = ByteBuffer()
    private var frames = ServerFrames()
    private var position = LoadPosition()
    /// Attempts since the last subscription.
    private(set) var attempts = 0

    init(_ channelName: String, load: LoadLoop) {
        self.channelName = channelName
        self.load = load
    }

    /// Closes the connection without a close frame.
    func cut() { context?.close(promise: nil) }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        (phase, answer, frames) = (.shakingHands, ByteBuffer(), ServerFrames())
        context.writeAndFlush(wrapOutboundOut(load.handshake), promise: nil)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let wasSubscribed = phase == .subscribed
        (phase, self.context) = (.away, nil)
        attempts += 1
        load.ended(self, wasSubscribed: wasSubscribed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// A connection could not be opened.
    func failed() { attempts += 1 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard phase == .shakingHands else { return take(buffer) }
        answer.writeImmutableBuffer(buffer)
        guard let end = answer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        guard answer.readableBytesView.starts(with: Array(Self.accepted.utf8)) else {
            load.totals.note(error: String(buffer: answer.getSlice(at: answer.readerIndex, length: 80) ?? answer))
            return context.close(promise: nil)
        }
        answer.moveReaderIndex(to: end.upperBound)
        subscribe()
        take(answer)
        answer = ByteBuffer()
    }

    private func subscribe() {
        phase = .subscribing
        let cursor = position.lastEventJSON.map { #","last_event_id":\#($0)"# } ?? ""
        send(Self.textFrame, #"{"type":"subscribe","channel":"\#(channelName)"\#(cursor)}"#.utf8)
    }

    private func send(_ first: UInt8, _ payload: some Collection<UInt8>) {
        context?.writeAndFlush(wrapOutboundOut(ServerFrames.masked(first, payload)), promise: nil)
    }

    private func take(_ buffer: ByteBuffer) {
        let now = UpdateStamp.now
        do {
            try frames.take(buffer) { kind, bytes in
                switch kind {
                case .text: take(message: bytes, at: now)
                case .ping: send(Self.pongFrame, bytes)
                case .close, .pong: break
                }
            }
        } catch {
            load.totals.note(error: "A frame begins with \(error.firstByte).")
            context?.close(promise: nil)
        }
    }

    private func take(message: UnsafeRawBufferPointer, at now: Int64) {
        if LoadMessage.isUpdate(message) { return take(update: message, at: now) }
        switch LoadMessage.type(message) {
        case "subscribed":
            position.noteSubscribed(message)
            load.subscribed(self, isResumed: position.isResumed)
            (phase, attempts) = (.subscribed, 0)
        case "error": take(error: String(decoding: message, as: UTF8.self))
        default: break
        }
    }

    private func take(update: UnsafeRawBufferPointer, at now: Int64) {
        guard let stamp = UpdateStamp.read(update) else { return load.totals.note(error: "An update has no stamp.") }
        load.totals.updates += 1
        // An update that was missed while the client was away tells the outage, not the latency.
        if position.note(stamp, update, &load.totals) {
            load.totals.latencies.record(milliseconds: (now - stamp.sentAt) / 1000)
        }
    }

    private func take(error text: String) {
        guard text.contains(#""code":"TRY_AGAIN""#), let context else { return load.totals.note(error: text) }
        load.totals.tryAgain += 1
        let client = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .seconds(1)) {
            if client.value.phase == .subscribing { client.value.subscribe() }
        }
    }
}
