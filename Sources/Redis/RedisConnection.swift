import CHiredis
import Glibc

/// Blocking connection to Redis; used on one thread.
///
/// Commands are sent in batches with ``send(_:)``; each needs one ``receive()``, in order. After an error with
/// ``RedisError/endsConnection``, create another connection.
package final class RedisConnection {
    /// Value of `REDIS_ERR_TIMEOUT` since hiredis 1.0; 0.14 reports a timeout as an input error.
    private static let timeoutErrorOfHiredis1: Int32 = 6

    private let context: UnsafeMutablePointer<redisContext>
    private let configuration: RedisConfiguration
    /// TLS session; `nil` without TLS.
    private var tls: RedisTLSSession?
    /// Number of sent commands whose replies have not been received.
    private var pendingReplies = 0

    /// Connects, logs in and selects the database.
    ///
    /// - Throws: ``RedisError``, retriable if the server is unavailable.
    package init(_ configuration: RedisConfiguration) throws(RedisError) {
        let timeout = timeval(configuration.connectTimeout)
        guard let context = redisConnectWithTimeout(configuration.host, configuration.port, timeout) else {
            throw RedisError(.connect, "There is not enough memory to connect to Redis.")
        }
        self.context = context
        self.configuration = configuration
        if context.pointee.err != REDIS_OK {
            let advice =
                configuration.advice.isEmpty ? "; check REDIS_URL, and that Redis runs." : ". \(configuration.advice)"
            throw RedisError(.connect, "Redis does not answer at \(configuration) (\(Self.reason(context)))\(advice)")
        }
        // The connect timeout also applies to replies to the login.
        redisSetTimeout(context, timeout)
        redisEnableKeepAlive(context)
        if let settings = configuration.tls {
            tls = try RedisTLSSession(settings, configuration, socket: context.pointee.fd)
        }
        do { try logIn() } catch { throw Self.advised(error, configuration) }
        redisSetTimeout(context, timeval(configuration.commandTimeout))
    }

    deinit { redisFree(context) }

    /// Sends and removes all commands; each needs one ``receive()``.
    ///
    /// May be called several times before receiving, so that Redis executes commands while others are encoded. Bypasses
    /// hiredis' buffer, which would need another copy and raise SIGPIPE on a broken connection.
    package func send(_ commands: inout RedisCommands) throws(RedisError) {
        pendingReplies += commands.count
        if let tls {
            try tls.write(commands.bytes)
        } else if let failure = sendAll(commands.bytes, to: context.pointee.fd) {
            throw configuration.lost(failure)
        }
        commands.removeAll()
    }

    /// Receives the reply to the next command.
    ///
    /// - Throws: ``RedisError`` if the connection broke or the command failed.
    package func receive() throws(RedisError) -> RedisReply {
        let value = try receiveAny()
        if case .failure(let error) = value { throw error }
        return value
    }

    /// Receives the reply to the next command, including an error reply (``RedisReply/failure(_:)``).
    ///
    /// - Throws: ``RedisError`` if the connection broke.
    package func receiveAny() throws(RedisError) -> RedisReply {
        let reply = try next()
        defer { freeReplyObject(reply) }
        return RedisReply(reply)
    }

    /// Receives and discards all pending replies.
    ///
    /// - Throws: ``RedisError`` if the connection broke.
    package func discardReplies() throws(RedisError) {
        while pendingReplies > 0 { freeReplyObject(try next()) }
    }

    /// Sends one command and receives its reply; allocates, so use it for rare commands only.
    @discardableResult
    package func call(_ name: StaticString, _ arguments: String...) throws(RedisError) -> RedisReply {
        var commands = RedisCommands(capacity: 256)
        commands.begin(name, arguments: arguments.count)
        for argument in arguments { commands.add(argument) }
        try send(&commands)
        return try receive()
    }

    /// Receives the replies to `MULTI`, `commands` commands and `EXEC`.
    ///
    /// - Throws: ``RedisError`` if the connection broke, or if Redis rejected a command and therefore executed none.
    package func receiveTransaction(commands: Int) throws(RedisError) -> RedisTransaction {
        var rejection: RedisError?
        for _ in 0..<commands + 1 {
            let reply = try next()
            defer { freeReplyObject(reply) }
            if reply.pointee.type == REDIS_REPLY_ERROR, rejection == nil {
                rejection = RedisError(reply: reply.pointee.string)
            }
        }
        let result = try next()
        defer { freeReplyObject(result) }
        if let rejection { throw rejection }
        switch result.pointee.type {
        case REDIS_REPLY_NIL: return .conflict
        case REDIS_REPLY_ARRAY: return .executed(failures: Self.failures(in: result.pointee))
        case REDIS_REPLY_ERROR: throw RedisError(reply: result.pointee.string)
        default: throw configuration.lost("unexpected reply to EXEC")
        }
    }

    private static func failures(in result: redisReply) -> [RedisError] {
        var failures: [RedisError] = []
        for index in 0..<result.elements {
            guard let element = result.element[index], element.pointee.type == REDIS_REPLY_ERROR else { continue }
            failures.append(RedisError(reply: element.pointee.string))
        }
        return failures
    }

    /// Adds the advice to a login error, because another Redis may run at the default address.
    static func advised(_ error: RedisError, _ configuration: RedisConfiguration) -> RedisError {
        guard error.code == .authentication, !configuration.advice.isEmpty else { return error }
        return RedisError(error.code, "\(error.message) \(configuration.advice)")
    }

    private func logIn() throws(RedisError) {
        if let password = configuration.password {
            if let username = configuration.username {
                try call("AUTH", username, password)
            } else {
                try call("AUTH", password)
            }
        }
        if configuration.database != 0 { try call("SELECT", String(configuration.database)) }
        // Fails if the server is loading, or if it requires a login but no password is set.
        try call("PING")
    }

    private func next() throws(RedisError) -> UnsafeMutablePointer<redisReply> {
        var reply: UnsafeMutableRawPointer?
        if let tls {
            while redisGetReplyFromReader(context, &reply) == REDIS_OK, reply == nil {
                try tls.read { bytes in
                    _ = redisReaderFeed(
                        context.pointee.reader, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
                }
            }
        } else if redisGetReply(context, &reply) != REDIS_OK {
            reply = nil
        }
        guard let reply else { throw configuration.lost(Self.reason(context)) }
        pendingReplies -= 1
        return reply.assumingMemoryBound(to: redisReply.self)
    }

    private static func reason(_ context: UnsafeMutablePointer<redisContext>) -> String {
        let isTimeout = context.pointee.err == REDIS_ERR_IO && (errno == EAGAIN || errno == ETIMEDOUT)
        if isTimeout || context.pointee.err == timeoutErrorOfHiredis1 { return "no answer in time" }
        return withUnsafeBytes(of: context.pointee.errstr) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension RedisConfiguration {
    func lost(_ reason: String) -> RedisError {
        RedisError(.connectionLost, "The connection to Redis at \(self) broke (\(reason)); reconnecting.")
    }
}

/// Sends all bytes over a blocking socket, without SIGPIPE.
/// - Returns: the reason why the connection broke; `nil` on success.
func sendAll(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> String? {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
        let sent = send(socket, start, rest.count, Int32(MSG_NOSIGNAL))
        if sent < 0 {
            if errno == EINTR { continue }
            return errno == EAGAIN ? "send timed out" : String(cString: strerror(errno))
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
    }
    return nil
}

extension timeval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
