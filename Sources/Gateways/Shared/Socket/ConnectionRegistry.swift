import NIOCore

/// Creates the sessions of one event loop; every function is called on that loop.
protocol ConnectionRegistry: AnyObject, Sendable {
    var loop: any EventLoop { get }

    /// Creates the session of a connection; the session of a refused client is closed at once.
    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler

    /// Closes all sessions because the gateway shuts down.
    func notifyShutdown()
}

/// A session that receives messages from its client.
protocol ClientMessageHandler: ClientSession {
    /// Handles one complete text message.
    func receive(_ text: ByteBuffer)
}
