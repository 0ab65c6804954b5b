import NIOCore

/// Registry of the sessions of one event loop; every function is called on that loop.
protocol ConnectionRegistry: AnyObject, Sendable {
    var loop: any EventLoop { get }

    /// Creates the session of a connection; the session of a refused client is closed at once.
    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler

    /// Checks all sessions; called every second.
    func tick()

    func notifyShutdown()
}

extension ConnectionRegistry {
    /// Starts the timer that calls ``tick()`` every second.
    func start() {
        loop.assertInEventLoop()
        loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] _ in self?.tick() }
    }
}

/// A session that receives messages from its client.
protocol ClientMessageHandler: ClientSession {
    /// Called before the client's first message.
    func start()
    func receive(_ text: ByteBuffer)
}
