import Glibc
import NIOCore

/// Has the system end connections whose clients have vanished without closing them.
///
/// What is sent to such a client is not acknowledged by its system, and Linux sends it again for about a quarter of an
/// hour before it gives up.
enum UserTimeout {
    /// `TCP_USER_TIMEOUT`: how long what was sent may stay without an acknowledgement, in milliseconds.
    static let option = ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))

    /// To be called on the connection's event loop.
    static func set(_ time: Duration, of channel: any Channel) {
        // Without it the connection works, too, and one that is closed already does not need it.
        try? channel.syncOptions?.setOption(option, value: .init(time.wholeMilliseconds))
    }
}
