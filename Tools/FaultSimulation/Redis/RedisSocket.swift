import Glibc

/// The client's end of a connection to the simulated Redis.
final class RedisSocket: SimulatedSocket {
    let changed = Signal()
    /// Limit of each wait for bytes, in nanoseconds.
    var timeout: Int64
    private let server: SimulatedRedis
    private let connection: Connection
    private var session: RedisSession?
    private var received: [UInt8] = []
    private(set) var isConnected = false
    private(set) var isBroken = false

    /// Begins to connect; `nil` if the connection is refused at once.
    init?(_ server: SimulatedRedis, _ process: SimulatedProcess, timeout: Int64) {
        guard let connection = Connection(process, over: server.link(of: process)) else { return nil }
        self.server = server
        self.connection = connection
        self.timeout = timeout
        connection.onBreak = { [weak self] in
            self?.isBroken = true
            self?.changed.notify()
        }
        let session = RedisSession(server, connection) { [weak self] bytes in
            self?.received += bytes
            self?.changed.notify()
        }
        self.session = session
        connection.send { [weak self] in
            guard server.accept(session) else { return }
            connection.respond { [weak self] in
                self?.isConnected = true
                self?.changed.notify()
            }
        }
    }

    /// Waits until the connection is open, up to ``timeout``.
    func connect() -> Bool {
        changed.wait(upTo: timeout) { isConnected || isClosed }
        return isConnected && !isClosed
    }

    /// Waits for bytes, up to ``timeout``.
    /// - Returns: received bytes; empty if the connection has ended; `nil` if none arrived in time.
    func read() -> [UInt8]? {
        guard changed.wait(upTo: timeout, until: { !received.isEmpty || isClosed }) || isClosed else { return nil }
        defer { received = [] }
        return received
    }

    /// Whether the connection has broken, or its process was killed.
    var isClosed: Bool { isBroken || !connection.isOpen }

    func close() { connection.close() }

    func ready(for events: Int16) -> Int16 {
        var ready = events & Int16(POLLOUT)
        if !received.isEmpty || isClosed { ready |= events & Int16(POLLIN) }
        return ready
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isClosed, let session else { return false }
        for packet in server.world.packets(of: Array(bytes)) {
            connection.send { [server] in server.arrive(packet, at: session) }
        }
        return true
    }
}
