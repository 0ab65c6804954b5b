import NIOCore
import NIOWebSocket

/// Writes frames that are made already, below the handler that makes them from messages: an update's frame is the same
/// buffer for all clients.
final class SocketWriter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private static let ping = ByteBuffer(bytes: [0x89, 0x00])

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Whether the connection takes more without keeping it in memory.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ frame: ByteBuffer) { context?.write(wrapOutboundOut(frame), promise: nil) }

    func flush() { context?.flush() }

    func ping() {
        write(Self.ping)
        flush()
    }

    func pong(_ data: ByteBuffer) {
        // Control frames carry at most 125 bytes.
        var frame = ByteBuffer(bytes: [0x8A, UInt8(min(125, data.readableBytes))])
        frame.writeBytes(data.readableBytesView.prefix(125))
        write(frame)
        flush()
    }

    /// Sends a close frame, and closes when it is written.
    func close(_ code: SocketCloseCode) {
        guard let context else { return }
        var frame = ByteBuffer(bytes: [0x88, 0x02])
        frame.writeInteger(code.rawValue)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(promise: nil) }
        // A client that takes nothing does not take the frame either.
        channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
    }
}
