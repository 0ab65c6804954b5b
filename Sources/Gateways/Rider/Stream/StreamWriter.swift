import Foundation
import NIOCore

/// Writer of a response body; buffers data until the client has read the earlier data.
final class StreamWriter: SessionWriter {
    typealias Body = NIOAsyncSequenceProducer<
        ByteBuffer, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, StreamBodyDelegate
    >

    /// Buffer size from which frames wait in the session's queue; roughly all events that a client can have missed.
    static let maximumPendingBytes = 256 * 1024

    private let source: Body.Source
    private let connection: QuiesceHandler
    private var pending = ByteBuffer()
    /// Whether the response body accepts data now.
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

    /// Encodes an error that ends the session; events are encoded by ``StreamSession``.
    func frame(_ message: ByteBuffer) -> ByteBuffer { EventStreamText.event(id: nil, type: "error", message) }

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
        // While data is waiting, a keep-alive would only add to it.
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

/// Encoding of server-sent events (HTML standard, section 9.2).
enum EventStreamText {
    /// A comment, which clients ignore.
    static let keepAlive = ByteBuffer(string: ":\n\n")

    /// Encodes the client's delay before it reconnects.
    static func retry(milliseconds: Int64) -> ByteBuffer { ByteBuffer(string: "retry: \(milliseconds)\n\n") }

    /// Encodes an event.
    ///
    /// The client sends `id` back as `Last-Event-ID`; `nil` keeps the previous id. A `type` of `nil` means `message`.
    /// `data` is JSON.
    static func event(id: String?, type: String?, _ data: ByteBuffer) -> ByteBuffer {
        var text = ByteBuffer()
        text.reserveCapacity(data.readableBytes + 96)
        if let id { text.writeString("id: \(id)\n") }
        if let type { text.writeString("event: \(type)\n") }
        for line in lines(of: data) {
            text.writeString("data: ")
            text.writeImmutableBuffer(line)
            text.writeString("\n")
        }
        text.writeString("\n")
        return text
    }

    /// Splits data at line breaks, which would end the field; in JSON they are only whitespace between tokens.
    private static func lines(of data: ByteBuffer) -> [ByteBuffer] {
        let breaks = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        let hasBreaks = data.withUnsafeReadableBytes { bytes in
            bytes.baseAddress.map { start in breaks.contains { memchr(start, Int32($0), bytes.count) != nil } } ?? false
        }
        guard hasBreaks else { return [data] }
        return data.readableBytesView.split(whereSeparator: breaks.contains).map { ByteBuffer($0) }
    }
}
