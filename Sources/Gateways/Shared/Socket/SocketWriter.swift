import NIOCore
import NIOWebSocket

/// Writes encoded frames below NIO's frame encoder, so that all receivers of an update share one buffer.
final class SocketWriter: ChannelOutboundHandler, SessionWriter {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isReadingPaused = false
    /// Whether the channel requested a read while reading was paused.
    private var isReadWanted = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        guard isReadingPaused else { return context.read() }
        isReadWanted = true
    }

    /// Stops reading from the connection; data already read is still delivered.
    func pauseReading() { isReadingPaused = true }

    func resumeReading() {
        isReadingPaused = false
        guard isReadWanted else { return }
        isReadWanted = false
        context?.read()
    }

    /// Whether the connection accepts more data without buffering it in memory.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ frame: ByteBuffer) { context?.write(wrapOutboundOut(frame), promise: nil) }

    func flush() { context?.flush() }

    func ping() {
        write(ControlFrame.ping)
        flush()
    }

    /// Time limit for the client to close its half.
    private static let closeTimeout = TimeAmount.seconds(5)

    /// Sends a close frame, closes the output, and closes the channel when the client has closed its half.
    ///
    /// Input is read and discarded meanwhile: with unread data the system would reset the connection, and the client
    /// could lose the last messages.
    func close(_ code: SocketCloseCode) {
        guard let context else { return }
        let (frame, channel) = (ControlFrame.close(code), context.channel)
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
        resumeReading()
        // The close frame does not reach a client that has stopped reading.
        channel.eventLoop.scheduleTask(in: Self.closeTimeout) { channel.close(promise: nil) }
    }
}
