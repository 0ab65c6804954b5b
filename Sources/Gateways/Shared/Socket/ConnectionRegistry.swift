import NIOCore

/// Makes the sessions of the clients of one event loop; every function is called on that loop.
protocol ConnectionRegistry: AnyObject, Sendable {
    var loop: any EventLoop { get }

    /// Makes the session of a connection; where the client is refused, it is told so, and the session is closed.
    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler

    /// Tells all clients that the gateway stops.
    func tellClosing()
}
