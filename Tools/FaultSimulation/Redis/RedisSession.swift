/// A client's connection in the simulated Redis: its database, watched keys and transaction.
final class RedisSession {
    let connection: Connection
    private unowned let server: SimulatedRedis
    private let deliver: ([UInt8]) -> Void
    private var reader = RedisRequestReader()
    private(set) var hasEnded = false
    private var isAuthenticated = false
    var database = 0
    /// Keys whose change prevents the next transaction.
    private var watched: Set<RedisData.Key> = []
    /// Whether a watched key has changed.
    var isConflicting = false
    /// Commands since `MULTI`; `nil` outside of a transaction.
    private var queue: [(operation: RedisOperation, arguments: [[UInt8]])]?
    /// Whether a command of the transaction was rejected.
    private var isRejected = false

    /// Creates a session whose replies `deliver` receives in the client's process.
    init(_ server: SimulatedRedis, _ connection: Connection, deliver: @escaping ([UInt8]) -> Void) {
        self.server = server
        self.connection = connection
        self.deliver = deliver
    }

    func end() {
        unwatch()
        hasEnded = true
    }

    /// Executes the commands that these bytes complete, and sends the replies.
    func receive(_ bytes: [UInt8]) {
        reader.add(bytes)
        var replies: [UInt8] = []
        do {
            while let arguments = try reader.next() { reply(to: arguments).write(into: &replies) }
        } catch {
            server.world.trace.add("Redis receives bytes from \(connection.process.name) that are no command")
            server.disconnect(self)
        }
        guard !replies.isEmpty else { return }
        server.world.trace.mix(bytes: replies)
        for part in server.world.packets(of: replies) {
            connection.respond { [deliver] in deliver(part) }
        }
    }

    private func reply(to arguments: [[UInt8]]) -> RedisResponse {
        guard let operation = RedisOperation.named(arguments[0]) else { return rejectUnknown(arguments) }
        guard operation.accepts(arguments.count) else {
            return reject(RedisFailure.argumentCount(of: operation.name).text)
        }
        if server.password != nil, !isAuthenticated, operation.name != "AUTH" {
            return reject("NOAUTH Authentication required.")
        }
        if let error = server.refusal?.error(for: operation, queue: queue?.map(\.operation)) {
            guard operation.name == "EXEC", queue != nil else { return reject(error) }
            endTransaction()
            return .error("EXECABORT Transaction discarded because of: \(error)")
        }
        if queue != nil, !["EXEC", "DISCARD", "MULTI", "WATCH"].contains(operation.name) {
            // Redis keeps no commands of a transaction that it will not execute.
            if !isRejected, !isConflicting { queue?.append((operation, arguments)) }
            return .status("QUEUED")
        }
        guard operation.execute != nil else { return executeForConnection(operation, arguments) }
        return server.execute([(operation, arguments)], for: self)[0]
    }

    private func rejectUnknown(_ arguments: [[UInt8]]) -> RedisResponse {
        let words = arguments.map { String(decoding: $0, as: UTF8.self) }
        server.world.trace.add("Redis has no command \(words[0])")
        let list = words.dropFirst().map { "'\($0)' " }.joined()
        return reject("ERR unknown command '\(words[0])', with args beginning with: \(list)")
    }

    /// Returns an error; a transaction that is open will not be executed.
    private func reject(_ error: String) -> RedisResponse {
        if queue != nil { isRejected = true }
        return .error(error)
    }

    /// Executes a command that concerns the connection itself.
    func executeForConnection(_ operation: RedisOperation, _ arguments: [[UInt8]]) -> RedisResponse {
        switch operation.name {
        case "AUTH": return logIn(arguments)
        case "WATCH": return watch(arguments)
        case "UNWATCH":
            unwatch()
            return .ok
        case "MULTI":
            guard queue == nil else { return .error("ERR MULTI calls can not be nested") }
            queue = []
            return .ok
        case "EXEC": return executeTransaction()
        case "DISCARD":
            guard queue != nil else { return .error("ERR DISCARD without MULTI") }
            endTransaction()
            return .ok
        default: preconditionFailure("A command without an implementation is in the table.")
        }
    }
}

// MARK: - Transactions and login

extension RedisSession {
    private func executeTransaction() -> RedisResponse {
        guard let commands = queue else { return .error("ERR EXEC without MULTI") }
        let wasRejected = isRejected
        // A key that has expired since WATCH has changed, even if no command has removed it.
        server.expire(watched)
        let wasConflicting = isConflicting
        endTransaction()
        if wasRejected { return .error("EXECABORT Transaction discarded because of previous errors.") }
        server.count(isConflict: wasConflicting)
        if wasConflicting { return .nullArray }
        return .array(server.execute(commands, for: self))
    }

    private func endTransaction() {
        queue = nil
        isRejected = false
        unwatch()
    }

    private func watch(_ arguments: [[UInt8]]) -> RedisResponse {
        guard queue == nil else { return .error("ERR WATCH inside MULTI is not allowed") }
        let keys = arguments.dropFirst().map { RedisData.Key(database: database, name: $0) }
        // Only an expiry after this command is a change.
        server.expire(keys)
        for key in keys where watched.insert(key).inserted { server.watch(key, for: self) }
        return .ok
    }

    private func unwatch() {
        server.unwatch(watched, for: self)
        watched = []
        isConflicting = false
    }

    private func logIn(_ arguments: [[UInt8]]) -> RedisResponse {
        guard arguments.count <= 3 else { return .error(RedisFailure.syntax.text) }
        guard let password = server.password else {
            guard arguments.count == 2 else { return .error(Self.wrongPassword) }
            return .error(
                "ERR AUTH <password> called without any password configured for the default user. "
                    + "Are you sure your configuration is correct?")
        }
        let words = arguments.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        guard words.last == password, words.count == 1 || words.first == "default" else {
            return .error(Self.wrongPassword)
        }
        isAuthenticated = true
        return .ok
    }

    private static let wrongPassword = "WRONGPASS invalid username-password pair or user is disabled."
}
