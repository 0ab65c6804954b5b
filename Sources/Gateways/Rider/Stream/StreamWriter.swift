import NIOCore

/// Writes to the body of an answer, which the connection's task takes when the client has taken what came before.
final class StreamWriter: SessionWriter {
    typealias Body = NIOAsyncSequenceProducer<
        ByteBuffer, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, StreamDemand
    >

    /// What is kept here, in bytes: all that a client can have missed of a trip, about.
    private static let maximumPendingBytes = 256 * 1024

    private let source: Body.Source
    private let connection: QuiesceHandler
    private var pending = ByteBuffer()
    private var isDemanded = true

    init(_ source: Body.Source, _ connection: QuiesceHandler) {
        self.source = source
        self.connection = connection
    }

    /// A body, with what writes to it.
    static func make(_ demand: StreamDemand, _ connection: QuiesceHandler) -> (body: Body, writer: StreamWriter) {
        let new = Body.makeSequence(
            elementType: ByteBuffer.self, backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1),
            finishOnDeinit: true, delegate: demand)
        return (new.sequence, StreamWriter(new.source, connection))
    }

    var isWritable: Bool { pending.readableBytes < Self.maximumPendingBytes }

    func write(_ frame: ByteBuffer) { pending.writeImmutableBuffer(frame) }

    func flush() {
        guard isDemanded, pending.readableBytes > 0 else { return }
        let answer = source.yield(pending)
        pending = ByteBuffer()
        if case .stopProducing = answer { isDemanded = false }
    }

    /// The task has taken what was handed to it.
    func demanded() {
        isDemanded = true
        flush()
    }

    func ping() {
        // A client that takes nothing needs no sign of life.
        guard isDemanded else { return }
        write(EventStreamText.keepAlive)
        flush()
    }

    func close(_ code: SocketCloseCode) {
        isDemanded = true
        flush()
        source.finish()
        connection.streamEnds()
    }
}
