import Foundation
import NIOCore
import NIOPosix
import Support

/// Sends updates over a TCP connection, one per line after the name of their channel; belongs to one thread.
final class SocketFeed: UpdateFeed {
    private static let tab = UInt8(ascii: "\t")
    private static let newline = UInt8(ascii: "\n")
    private static let connectTimeout = TimeAmount.seconds(5)

    private let channel: any Channel
    private var lines = ByteBuffer()
    private var last: EventLoopFuture<Void>

    /// - Throws: where nothing listens at the port.
    init(port: Int) throws {
        channel = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.connectTimeout)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port).wait()
        last = channel.eventLoop.makeSucceededVoidFuture()
    }

    func send(_ update: ByteSlice, channel name: ByteSlice, partition: Int32) throws {
        lines.writeBytes(name.buffer)
        lines.writeInteger(Self.tab)
        lines.writeBytes(update.buffer)
        lines.writeInteger(Self.newline)
    }

    func poll(waitMilliseconds: Int) throws {
        if lines.readableBytes > 0 {
            last = channel.writeAndFlush(lines)
            lines = ByteBuffer()
        }
        if waitMilliseconds > 0 { Thread.sleep(forTimeInterval: Double(waitMilliseconds) / 1000) }
    }

    func finish() throws {
        try poll(waitMilliseconds: 0)
        try last.wait()
    }

    func close() { try? channel.close().wait() }
}
