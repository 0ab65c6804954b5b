import NIOCore
import NIOWebSocket

/// Writes frames that are made already, below the handler that makes them from messages: an update's frame is the same
/// buffer for all clients.
final class SocketWriter: ChannelOutboundHandler, SessionWriter {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isReadingPaused = false
    /// Whether the channel asked for more while reading was paused.
    private var isReadWanted = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        guard isReadingPaused else { return context.read() }
        isReadWanted = true
    }

    /// Reads nothing more from the connection, so that its client waits; what was read already still comes.
    func pauseReading() { isReadingPaused = true }

    func resumeReading() {
        isReadingPaused = false
        guard isReadWanted else { return }
        isReadWanted = false
        context?.read()
    }

    /// Whether the connection takes more without keeping it in memory.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ frame: ByteBuffer) { context?.write(wrapOutboundOut(frame), promise: nil) }

    func flush() { context?.flush() }

    func ping() {
        write(ControlFrame.ping)
        flush()
    }

    /// How long the client has to close its half.
    private static let closeTimeout = TimeAmount.seconds(5)

    /// Sends a close frame, ends the connection's own half, and closes when the client has closed the other.
    ///
    /// What the client sends meanwhile is read and dropped: with unread data the system would reset the connection, and
    /// the client might lose the last messages.
    func close(_ code: SocketCloseCode) {
        guard let context else { return }
        let (frame, channel) = (ControlFrame.close(code), context.channel)
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
        resumeReading()
        // A client that takes nothing does not take the frame either.
        channel.eventLoop.scheduleTask(in: Self.closeTimeout) { channel.close(promise: nil) }
    }
}
