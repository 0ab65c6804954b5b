/// Server's end of a connection: executes the client's requests in order.
///
/// Statements run on the scheduler and cannot wait. If a lock is not free, the statement is executed again from its
/// start when the lock was granted; it then finds the locks that it has already.
final class PostgresSession {
    enum Request {
        case query(text: String, parameters: [String?])
        case copyData([UInt8])
        case copyDone
        case copyFailed(String)
        /// The client has closed the connection.
        case end
    }

    let server: SimulatedPostgres
    let processID: Int32
    /// Name of the client's process.
    let name: String
    private let connection: Connection
    private var client: LibpqClient?
    private var inbox: [Request] = []
    /// Whether a request is executed or waits for a lock.
    private var isBusy = false
    private(set) var hasEnded = false
    /// Number of the current pause; a timer of an earlier one has no effect.
    private var pauseNumber = 0

    var transaction: PostgresTransaction?
    var copy: PostgresCopy?
    /// Rows that the statement saw at its start; later ones are invisible to it.
    var candidates: [ProgressKey]?
    /// Whether the statement continues without the lock for which it waited.
    var skipsLock = false

    /// `lock_timeout` in nanoseconds; 0 for none.
    private var lockLimit: Int64 = 0
    /// `idle_in_transaction_session_timeout` in nanoseconds; 0 for none.
    private var idleLimit: Int64 = 0
    private var isSynchronous = true

    init(_ server: SimulatedPostgres, _ processID: Int32, _ connection: Connection, _ client: LibpqClient) {
        (self.server, self.processID) = (server, processID)
        (self.connection, self.client) = (connection, client)
        name = connection.process.name
        connection.onEnd = { [weak self] in self?.receive(.end) }
    }

    private var world: World { server.world }

    /// Whether the server waits for the client: `wait_event` is `ClientRead`.
    var isWaitingForClient: Bool { !isBusy && inbox.isEmpty && !hasEnded }

    func receive(_ request: Request) {
        guard !hasEnded else { return }
        inbox.append(request)
        executeNext()
    }

    private func executeNext() {
        guard !isBusy, !hasEnded, !inbox.isEmpty else { return }
        isBusy = true
        pauseNumber += 1
        let request = inbox.removeFirst()
        schedule(after: server.serviceTime(of: request)) { [self] in execute(request) }
    }

    private func schedule(after delay: Int64, _ action: @escaping () -> Void) {
        world.schedule(after: delay) { [self] in
            if !hasEnded { action() }
        }
    }

    private func execute(_ request: Request) {
        switch request {
        case .query(let text, let parameters): execute(text, PostgresParameters(parameters))
        case .copyData(let bytes):
            // After an error, the rest of the copy is ignored.
            guard copy != nil else { return pause() }
            copy?.reader.append(bytes)
            attempt { [self] in
                try copyRows()
                pause()
            }
        case .copyDone:
            guard copy != nil else { return pause() }
            attempt { [self] in complete(try finishCopy()) }
        case .copyFailed(let reason):
            guard copy != nil else { return pause() }
            fail(PostgresFailure("57014", "COPY from stdin failed: \(reason)"))
        case .end: end("was closed by the client")
        }
    }

    private func execute(_ text: String, _ parameters: PostgresParameters) {
        guard let statement = server.statement(text) else {
            server.trace("unknown statement: \(text)")
            return fail(PostgresFailure("42601", "the simulation does not know the statement \(text)"))
        }
        if transaction?.hasFailed == true, !statement.endsTransaction {
            return fail(
                PostgresFailure(
                    "25P02", "current transaction is aborted, commands ignored until end of transaction block"))
        }
        if transaction == nil { transaction = PostgresTransaction(now: server.wallMicroseconds, isExplicit: false) }
        (candidates, skipsLock) = (nil, false)
        attempt { [self] in complete(try perform(statement, parameters)) }
    }

    /// Executes `work`, and again whenever a lock for which it waited was granted.
    private func attempt(_ work: @escaping () throws -> Void) {
        do {
            try work()
        } catch let wait as PostgresLockWait {
            block(on: wait) { [self] in attempt(work) }
        } catch let failure as PostgresFailure {
            fail(failure)
        } catch {
            preconditionFailure("A statement threw an unexpected error: \(error)")
        }
    }

    private func block(on wait: PostgresLockWait, _ work: @escaping () -> Void) {
        guard let transaction else { preconditionFailure("A session without a transaction waits for a lock.") }
        server.trace("\(processID) waits for a lock of \(wait.lock.relation)")
        // The request may be granted before a timer fires, and another one may follow.
        var isWaiting = true
        func stop() -> Bool {
            guard isWaiting, server.locks.isWaiting(transaction) else { return false }
            isWaiting = false
            server.locks.cancelRequest(of: transaction)
            return true
        }
        server.locks.wait(wait, for: transaction) { [self] in
            isWaiting = false
            schedule(after: server.stall, work)
        }
        let limit = wait.limit ?? lockLimit
        if limit > 0 {
            schedule(after: limit) { [self] in
                guard stop() else { return }
                if wait.mayBeSkipped {
                    skipsLock = true
                    return work()
                }
                fail(PostgresFailure("55P03", "canceling statement due to lock timeout"))
            }
        }
        schedule(after: .seconds(1)) { [self] in
            if isWaiting, server.locks.isDeadlocked(transaction), stop() {
                fail(PostgresFailure("40P01", "deadlock detected"))
            }
        }
    }

    /// Ends the statement, and its transaction if that is not explicit.
    private func complete(_ reply: PostgresReply) {
        if case .copyIn = reply {
            respond([.reply(reply)])
            return pause()
        }
        if let transaction, !transaction.isExplicit { commit() }
        respond([.reply(reply), .ready(state)])
        pause()
    }

    private func fail(_ failure: PostgresFailure) {
        server.trace("\(processID) fails: \(failure.state) \(failure.message)")
        copy = nil
        if let transaction {
            server.locks.releaseAll(of: transaction)
            transaction.fail()
            if !transaction.isExplicit { self.transaction = nil }
        }
        respond([.reply(.failure(failure, isFatal: false)), .ready(state)])
        pause()
    }

    private var state: PostgresMessage.TransactionState {
        transaction.map { $0.hasFailed ? .failed : .active } ?? .none
    }

    private func respond(_ messages: [PostgresMessage]) {
        connection.respond { [client] in client?.receive(messages) }
    }

    /// Waits for the next request, in a transaction up to the limit.
    private func pause() {
        isBusy = false
        executeNext()
        guard isWaitingForClient, transaction?.isExplicit == true, copy == nil, idleLimit > 0 else { return }
        let number = pauseNumber
        schedule(after: idleLimit) { [self] in
            if number == pauseNumber, isWaitingForClient {
                terminate(PostgresFailure("25P03", "terminating connection due to idle-in-transaction timeout"))
            }
        }
    }
}

/// Transactions, settings and the end of a session.
extension PostgresSession {
    func begin() {
        guard transaction?.isExplicit != true else { return }
        // The implicit transaction of the statement has no locks and no changes yet.
        transaction = PostgresTransaction(now: server.wallMicroseconds, isExplicit: true)
    }

    /// Commits, or rolls back if a statement failed.
    /// - Returns: whether the changes were committed.
    @discardableResult
    func commit() -> Bool {
        guard let transaction, !transaction.hasFailed else {
            rollBack()
            return false
        }
        server.commit(transaction, of: self, isSynchronous: isSynchronous)
        release()
        return true
    }

    func rollBack() { release() }

    private func release() {
        if let transaction { server.locks.releaseAll(of: transaction) }
        transaction = nil
    }

    func set(_ name: String, _ value: String) throws(PostgresFailure) {
        switch name {
        case "timezone": break
        case "synchronous_commit": isSynchronous = value != "off"
        case "lock_timeout": lockLimit = try Self.nanoseconds(value, name)
        case "idle_in_transaction_session_timeout": idleLimit = try Self.nanoseconds(value, name)
        default: throw PostgresFailure("42704", "unrecognized configuration parameter \"\(name)\"")
        }
    }

    private static func nanoseconds(_ value: String, _ name: String) throws(PostgresFailure) -> Int64 {
        guard value.hasSuffix("ms"), let count = Int(value.dropLast(2)) else {
            throw PostgresFailure("22023", "invalid value for parameter \"\(name)\": \"\(value)\"")
        }
        return .milliseconds(count)
    }

    /// Ends the session with a fatal error.
    func terminate(_ failure: PostgresFailure) {
        guard !hasEnded else { return }
        respond([.reply(.failure(failure, isFatal: true))])
        connection.respond { [client] in client?.receiveEnd() }
        end("ends: \(failure.state) \(failure.message)")
    }

    /// Ends the session because the server's host stopped.
    func vanish() {
        connection.reset()
        end("ends with the server")
    }

    private func end(_ reason: String) {
        guard !hasEnded else { return }
        hasEnded = true
        let hadChanges = transaction?.hasChanges == true
        server.trace("\(processID) of \(name) \(reason)\(hadChanges ? ", and its changes are rolled back" : "")")
        if let transaction { server.locks.cancelRequest(of: transaction) }
        release()
        copy = nil
        inbox = []
        (connection.onEnd, client) = (nil, nil)
        server.remove(self)
    }
}
