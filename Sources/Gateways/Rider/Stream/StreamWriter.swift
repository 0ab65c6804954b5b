import NIOCore

/// Writes to a response body, and buffers while the client has not read earlier data.
final class StreamWriter: SessionWriter {
    typealias Body = NIOAsyncSequenceProducer<
        ByteBuffer, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, StreamBodyDelegate
    >

    /// Roughly all events that a client can have missed of a trip.
    static let maximumPendingBytes = 256 * 1024

    private let source: Body.Source
    private let connection: QuiesceHandler
    private var pending = ByteBuffer()
    /// Whether the body asks for data.
    private var hasDemand = true

    init(_ source: Body.Source, _ connection: QuiesceHandler) {
        self.source = source
        self.connection = connection
    }

    static func make(
        _ delegate: StreamBodyDelegate, _ connection: QuiesceHandler
    ) -> (body: Body, writer: StreamWriter) {
        let new = Body.makeSequence(
            elementType: ByteBuffer.self, backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1),
            finishOnDeinit: true, delegate: delegate)
        return (new.sequence, StreamWriter(new.source, connection))
    }

    var isWritable: Bool { pending.readableBytes < Self.maximumPendingBytes }

    func write(_ frame: ByteBuffer) { pending.writeImmutableBuffer(frame) }

    func flush() {
        guard hasDemand, pending.readableBytes > 0 else { return }
        let result = source.yield(pending)
        pending = ByteBuffer()
        if case .stopProducing = result { hasDemand = false }
    }

    /// Continues after the client has read the earlier data.
    func resume() {
        hasDemand = true
        flush()
    }

    func ping() {
        // Unread data is waiting: a keep-alive would only add to it.
        guard hasDemand else { return }
        write(EventStreamText.keepAlive)
        flush()
    }

    func close(_ code: SocketCloseCode) {
        resume()
        source.finish()
        connection.streamDidEnd()
    }
}
