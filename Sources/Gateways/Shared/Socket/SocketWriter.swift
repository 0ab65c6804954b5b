import NIOCore

/// Handler that writes encoded frames without NIO's encoder, so that receivers share a buffer.
final class SocketWriter: ChannelOutboundHandler, SessionWriter {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isReadingPaused = false
    /// Whether the channel requested a read while reading was paused.
    private var hasPendingRead = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        guard isReadingPaused else { return context.read() }
        hasPendingRead = true
    }

    /// Stops reading from the connection; data already read is still delivered.
    func pauseReading() { isReadingPaused = true }

    func resumeReading() {
        isReadingPaused = false
        guard hasPendingRead else { return }
        hasPendingRead = false
        context?.read()
    }

    /// Whether the unsent data is below NIO's high-water mark.
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
    /// Meanwhile, input is read and discarded, because the system would reset a connection with unread data, and the
    /// client could lose the last messages.
    func close(_ code: SocketCloseCode) {
        guard let context else { return }
        let (frame, channel) = (ControlFrame.close(code), context.channel)
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
        resumeReading()
        // A client that has stopped reading does not receive the close frame.
        channel.eventLoop.scheduleTask(in: Self.closeTimeout) { channel.close(promise: nil) }
    }
}
