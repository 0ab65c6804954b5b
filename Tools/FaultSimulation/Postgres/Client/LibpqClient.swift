import CPQ
import Glibc

/// Client's end of a connection: the state behind a `PGconn`.
///
/// Has libpq's states, because `PostgresConnection` depends on them: an error that the server sent before it closed the
/// connection is received first, and the end only with the next read.
final class LibpqClient: SimulatedSocket {
    private enum Arrival {
        case message(PostgresMessage)
        /// The server closed the connection.
        case end
        case reset
        case refusal
    }

    private enum Activity {
        case idle
        case busy
        case copyIn
    }

    /// Bytes that the kernel sends without an acknowledgement of the server's host.
    private static let socketBufferByteCount = 1 << 20
    private static let loss = """
        server closed the connection unexpectedly
        \tThis probably means the server terminated abnormally
        \tbefore or while processing the request.

        """

    let process: SimulatedProcess
    let changed = Signal()
    private(set) var descriptor: Int32 = -1
    private(set) var status = CONNECTION_STARTED
    private(set) var processID: Int32 = 0
    private(set) var errorMessage = CText("")
    /// SQLSTATE of the server's rejection of the connection.
    private(set) var rejection: String?
    var isVerbose = false
    var isSingleRowMode = false

    private var connection: Connection?
    private var session: PostgresSession?
    /// Data in the socket.
    private var arrivals: [Arrival] = []
    /// Messages that were read from the socket.
    private var input: [PostgresMessage] = []
    private var outbox: [PostgresSession.Request] = []
    private var unacknowledgedByteCount = 0
    private var activity = Activity.idle
    private var transactionState = PostgresMessage.TransactionState.none
    /// Rows of single-row mode that were not returned yet.
    private var singleRows: (columns: [PostgresReply.Column], rows: ArraySlice<[String?]>)?

    /// Sends a connection request in the running process.
    init() {
        process = World.running.runningProcess
        descriptor = SimulatedSockets.add(self)
        let server = process.world.postgres
        guard let connection = Connection(process, over: server.link(of: process.name)) else {
            arrivals.append(.refusal)
            return
        }
        self.connection = connection
        connection.onBreak = { [weak self] in self?.arrive(.reset) }
        connection.send { [self] in session = server.accept(connection, self) }
    }

    // MARK: Messages from the server

    func receive(_ messages: [PostgresMessage]) {
        arrivals += messages.map { .message($0) }
        changed.notify()
    }

    func receiveEnd() { arrive(.end) }

    func receiveRefusal() { arrive(.refusal) }

    private func arrive(_ arrival: Arrival) {
        arrivals.append(arrival)
        changed.notify()
    }

    // MARK: Socket

    func ready(for events: Int16) -> Int16 {
        // The calls of a killed process end at once.
        if process.isDead { return events }
        let readable = arrivals.isEmpty ? 0 : events & Int16(POLLIN)
        let writable = canSend ? events & Int16(POLLOUT) : 0
        return readable | writable
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

    private var canSend: Bool { unacknowledgedByteCount < Self.socketBufferByteCount }

    // MARK: Connecting

    /// Waits for the server's answer to the connection request.
    func waitUntilConnected(upTo limit: Int64) {
        if case .refusal = arrivals.first, !process.isDead {
            World.running.runningFiber?.wait(upTo: process.world.latency())
        }
        changed.wait(upTo: limit) { !arrivals.isEmpty }
        if pollConnection() == PGRES_POLLING_READING { fail("timeout expired\n") }
    }

    /// Reads the server's answer to the connection request if it has arrived.
    func pollConnection() -> PostgresPollingStatusType {
        guard status == CONNECTION_STARTED else {
            return status == CONNECTION_OK ? PGRES_POLLING_OK : PGRES_POLLING_FAILED
        }
        if process.isDead {
            fail(Self.loss)
            return PGRES_POLLING_FAILED
        }
        guard let first = arrivals.first else { return PGRES_POLLING_READING }
        arrivals.removeFirst()
        switch first {
        case .message(.authenticated(let processID)):
            self.processID = processID
            status = CONNECTION_OK
            return PGRES_POLLING_OK
        case .message(.reply(.failure(let failure, _))):
            rejection = failure.state
            fail("FATAL:  \(isVerbose ? "\(failure.state): " : "")\(failure.message)\n")
        case .refusal:
            fail("Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n")
        case .message, .end, .reset: fail(Self.loss)
        }
        return PGRES_POLLING_FAILED
    }

    private func fail(_ reason: String) {
        status = CONNECTION_BAD
        errorMessage = CText("connection to server at \"postgres\", port 5432 failed: \(reason)")
        close()
    }

    /// Closes the connection; the server receives what was sent before.
    func close() {
        connection?.onBreak = nil
        connection?.close()
        connection = nil
        SimulatedSockets.remove(descriptor)
        descriptor = -1
    }

    // MARK: Statements

    /// Sends a statement.
    /// - Returns: `false` if another one is in progress, or the connection is known to be broken.
    func sendQuery(_ text: String, _ parameters: [String?]) -> Bool {
        guard status == CONNECTION_OK, activity == .idle else {
            let reason = activity == .idle ? "no connection to the server" : "another command is already in progress"
            errorMessage = CText("\(reason)\n")
            return false
        }
        (isSingleRowMode, singleRows) = (false, nil)
        errorMessage = CText("")
        outbox.append(.query(text: text, parameters: parameters))
        activity = .busy
        return flush() >= 0
    }

    /// Queues data or the end of a copy.
    func sendCopy(_ request: PostgresSession.Request) -> Bool {
        guard status == CONNECTION_OK, activity == .copyIn else {
            errorMessage = CText("no COPY in progress\n")
            return false
        }
        outbox.append(request)
        if case .copyData = request { return true }
        activity = .busy
        return flush() >= 0
    }

    /// Sends queued requests while the socket accepts them.
    /// - Returns: 1 if some remain, and -1 if the connection is broken.
    func flush() -> Int32 {
        guard status == CONNECTION_OK else { return -1 }
        while !outbox.isEmpty {
            guard let connection, connection.isOpen, !process.isDead else {
                // As libpq, reports the failure only if there is nothing to read.
                outbox = []
                return consumeInput() ? 0 : -1
            }
            guard canSend else { return 1 }
            send(outbox.removeFirst(), over: connection)
        }
        return 0
    }

    private func send(_ request: PostgresSession.Request, over connection: Connection) {
        guard case .copyData(let bytes) = request else {
            connection.send { [self] in session?.receive(request) }
            return
        }
        unacknowledgedByteCount += bytes.count
        connection.send { [self] in
            session?.receive(request)
            connection.respond { [self] in
                unacknowledgedByteCount -= bytes.count
                changed.notify()
            }
        }
    }

    // MARK: Results

    /// Reads the data in the socket.
    /// - Returns: `false` if the connection is broken and there is nothing to read.
    func consumeInput() -> Bool {
        guard status == CONNECTION_OK else { return false }
        if process.isDead { return lose(Self.loss) }
        var count = 0
        while count < arrivals.count, case .message(let message) = arrivals[count] {
            input.append(message)
            count += 1
        }
        arrivals.removeFirst(count)
        // The end is found by the next read.
        guard count == 0, let end = arrivals.first else { return true }
        if case .reset = end { return lose("could not receive data from server: Connection reset by peer\n") }
        return lose(Self.loss)
    }

    private func lose(_ reason: String) -> Bool {
        status = CONNECTION_BAD
        addError(reason)
        close()
        return false
    }

    /// Appends to the message, which libpq clears at the next statement.
    private func addError(_ text: String) { errorMessage = CText(String(cString: errorMessage.pointer) + text) }

    /// Whether ``result()`` would wait.
    var isBusy: Bool { activity == .busy && input.isEmpty && singleRows == nil }

    /// Returns the next result of the statement, and waits for it; `nil` after the last one.
    func result() -> LibpqResult? {
        switch activity {
        case .idle: return nil
        case .copyIn: return LibpqResult(.copyIn)
        case .busy: break
        }
        if let row = nextSingleRow() { return row }
        while input.isEmpty {
            changed.wait(upTo: nil) { !arrivals.isEmpty }
            guard consumeInput() else {
                activity = .idle
                return LibpqResult(lost: String(cString: errorMessage.pointer))
            }
        }
        switch input.removeFirst() {
        case .reply(let reply): return result(of: reply)
        case .ready(let state):
            (activity, transactionState) = (.idle, state)
            // What the server sends between statements, such as the reason why it ends the session, is a notice.
            input = []
            return nil
        case .authenticated: return nil
        }
    }

    private func result(of reply: PostgresReply) -> LibpqResult? {
        switch reply {
        case .copyIn: activity = .copyIn
        case .rows(let columns, let rows) where isSingleRowMode:
            singleRows = (columns, rows[...])
            return nextSingleRow()
        case .rows, .command: break
        case .failure(let failure, let isFatal): addError("\(isFatal ? "FATAL" : "ERROR"):  \(failure.message)\n")
        }
        return LibpqResult(reply)
    }

    private func nextSingleRow() -> LibpqResult? {
        guard let rest = singleRows else { return nil }
        guard let row = rest.rows.first else {
            singleRows = nil
            return LibpqResult(.rows(rest.columns, []))
        }
        singleRows?.rows.removeFirst()
        return LibpqResult(row: row, of: rest.columns)
    }

    var transactionStatus: PGTransactionStatusType {
        guard status == CONNECTION_OK else { return PQTRANS_UNKNOWN }
        guard activity == .idle else { return PQTRANS_ACTIVE }
        switch transactionState {
        case .none: return PQTRANS_IDLE
        case .active: return PQTRANS_INTRANS
        case .failed: return PQTRANS_INERROR
        }
    }
}
