/// Connection of a client to the cluster, which is opened again after it breaks.
final class BrokerConnection {
    private let process: SimulatedProcess
    private let link: Link
    private var connection: Connection?
    private var isClosed = false
    private var failures = 0
    /// Called in the process when the connection has been opened.
    var onOpen: (() -> Void)?
    /// Called in the process when the connection has broken or could not be opened.
    var onDown: (() -> Void)?

    init(_ process: SimulatedProcess, _ link: Link) {
        self.process = process
        self.link = link
    }

    var isOpen: Bool { connection?.isOpen == true }

    /// Opens the connection; retries until it is closed.
    func open() {
        guard !isClosed, !process.isDead, !isOpen else { return }
        guard let connection = Connection(process, over: link) else {
            onDown?()
            return retry()
        }
        self.connection = connection
        connection.onBreak = { [weak self] in
            guard let self, !isClosed else { return }
            onDown?()
            retry()
        }
        // The handshake is one round trip; on a silent link it ends when the link passes packets again.
        connection.send { [self] in
            connection.respond { [self] in
                failures = 0
                onOpen?()
            }
        }
    }

    private func retry() {
        failures += 1
        let wait = min(Int64.seconds(2), Int64.milliseconds(100) << Int64(min(failures, 5)))
        process.world.schedule(after: wait) { [self] in process.deliver { [self] in open() } }
    }

    /// Executes `action` at the cluster; it may call its argument once, with what to execute in the process.
    ///
    /// Nothing happens if the connection is down, or breaks before.
    func request(_ action: @escaping (@escaping (@escaping () -> Void) -> Void) -> Void) {
        guard let connection, connection.isOpen else { return }
        connection.send { action { connection.respond($0) } }
    }

    /// Closes the connection; what was sent still arrives, or only a part of it if `abruptly`.
    func close(abruptly: Bool) {
        guard !isClosed else { return }
        isClosed = true
        if abruptly { connection?.abort() } else { connection?.close() }
    }
}
