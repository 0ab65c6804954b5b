import CHiredis
import Glibc

/// One blocking connection to Redis, used from one thread.
///
/// Commands are sent in batches and answered in order: ``send(_:)`` any number, then one ``receive()`` for each.
/// After an error of the code `connectionLost` the connection is of no use; make another.
package final class RedisConnection {
    /// `REDIS_ERR_TIMEOUT` of hiredis 1.0 and later; 0.14 reports a timeout as an input error.
    private static let timeoutErrorOfHiredis1: Int32 = 6

    private let context: UnsafeMutablePointer<redisContext>
    private let configuration: RedisConfiguration
    /// `nil` for a connection in the clear.
    private var tls: RedisTLSSession?
    /// Commands sent whose answers were not received.
    private var unansweredCount = 0

    /// Connects, logs in and selects the database.
    ///
    /// - Throws: ``RedisError``, retriable where the server is merely not there yet.
    package init(_ configuration: RedisConfiguration) throws(RedisError) {
        let timeout = timeval(configuration.connectTimeout)
        guard let context = redisConnectWithTimeout(configuration.host, configuration.port, timeout) else {
            throw RedisError(.connect, "There is not enough memory to connect to Redis.")
        }
        self.context = context
        self.configuration = configuration
        if context.pointee.err != REDIS_OK {
            let advice =
                configuration.advice.isEmpty ? "; check that it runs and REDIS_URL." : ". \(configuration.advice)"
            throw RedisError(.connect, "Redis does not answer at \(configuration) (\(Self.reason(context)))\(advice)")
        }
        // Replies to the login count as part of connecting.
        redisSetTimeout(context, timeout)
        redisEnableKeepAlive(context)
        if let settings = configuration.tls { tls = try secured(settings) }
        do { try logIn() } catch { throw Self.advised(error, configuration) }
        redisSetTimeout(context, timeval(configuration.commandTimeout))
    }

    deinit { redisFree(context) }

    /// Sends all commands and forgets them, keeping their memory.
    ///
    /// Each is to be answered by one ``receive()``. May be called several times before receiving: Redis then works
    /// while the next commands are being written.
    package func send(_ commands: inout RedisCommands) throws(RedisError) {
        unansweredCount += commands.count
        if let tls {
            do { try tls.write(commands.bytes) } catch { throw lost(error) }
            commands.removeAll()
            return
        }
        // Not through hiredis' own buffer: that would copy once more, and raise SIGPIPE on a broken connection.
        var rest = commands.bytes
        while let start = rest.baseAddress, rest.count > 0 {
            let sent = write(rest.count, from: start, to: context.pointee.fd)
            if sent < 0 {
                if errno == EINTR { continue }
                throw lost(errno == EAGAIN ? "it took no data in time" : String(cString: strerror(errno)))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
        }
        commands.removeAll()
    }

    /// Takes the answer to the next command.
    ///
    /// - Throws: ``RedisError`` when the connection broke, or when the command itself was refused.
    package func receive() throws(RedisError) -> RedisReply {
        let value = try receiveAny()
        if case .failure(let error) = value { throw error }
        return value
    }

    /// Receives the answer to the next command, also where the command was refused (``RedisReply/failure(_:)``).
    ///
    /// - Throws: ``RedisError`` when the connection broke.
    package func receiveAny() throws(RedisError) -> RedisReply {
        let reply = try next()
        defer { freeReplyObject(reply) }
        return RedisReply(reply)
    }

    /// Receives and drops the answers that are still to come, so that the next command gets its own.
    ///
    /// - Throws: ``RedisError`` when the connection broke.
    package func skipAnswers() throws(RedisError) {
        while unansweredCount > 0 { freeReplyObject(try next()) }
    }

    /// Sends one command given in words and takes its answer; for what is rare, since it allocates.
    @discardableResult
    package func call(_ name: StaticString, _ arguments: String...) throws(RedisError) -> RedisReply {
        var commands = RedisCommands(capacity: 256)
        commands.begin(name, arguments: arguments.count)
        for argument in arguments { commands.add(argument) }
        try send(&commands)
        return try receive()
    }

    /// Takes the answers to `MULTI`, to `commands` commands and to `EXEC`.
    ///
    /// - Throws: ``RedisError`` when the connection broke or Redis refused to queue a command, and then did nothing.
    package func receiveTransaction(commands: Int) throws(RedisError) -> RedisTransaction {
        var refusal: RedisError?
        for _ in 0..<commands + 1 {
            let reply = try next()
            defer { freeReplyObject(reply) }
            if reply.pointee.type == REDIS_REPLY_ERROR, refusal == nil {
                refusal = RedisError(reply: reply.pointee.string)
            }
        }
        let result = try next()
        defer { freeReplyObject(result) }
        if let refusal { throw refusal }
        switch result.pointee.type {
        case REDIS_REPLY_NIL: return .conflict
        case REDIS_REPLY_ARRAY: return .executed(failures: Self.failures(in: result.pointee))
        case REDIS_REPLY_ERROR: throw RedisError(reply: result.pointee.string)
        default: throw lost("it answered EXEC with something else")
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

    /// A refused login with the advice: at the default address there may be another Redis than ours.
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
        // Without a password nothing has been asked yet: a server that is loading or wants a login says so now.
        try call("PING")
    }

    /// Begins the TLS conversation.
    private func secured(_ settings: RedisTLSConfiguration) throws(RedisError) -> RedisTLSSession {
        do {
            return try RedisTLSSession(settings, host: configuration.host, socket: context.pointee.fd)
        } catch {
            throw lost(error)
        }
    }

    private func next() throws(RedisError) -> UnsafeMutablePointer<redisReply> {
        let reply = try nextReply()
        unansweredCount -= 1
        return reply
    }

    private func nextReply() throws(RedisError) -> UnsafeMutablePointer<redisReply> {
        var reply: UnsafeMutableRawPointer?
        if let tls {
            while redisGetReplyFromReader(context, &reply) == REDIS_OK, reply == nil {
                do {
                    try tls.read { bytes in
                        _ = redisReaderFeed(
                            context.pointee.reader, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
                    }
                } catch {
                    throw lost(error)
                }
            }
            guard let reply else { throw lost(Self.reason(context)) }
            return reply.assumingMemoryBound(to: redisReply.self)
        }
        guard redisGetReply(context, &reply) == REDIS_OK, let reply else {
            throw lost(Self.reason(context))
        }
        return reply.assumingMemoryBound(to: redisReply.self)
    }

    private func lost(_ reason: String) -> RedisError {
        RedisError(.connectionLost, "The connection to Redis at \(configuration) broke (\(reason)); it is made again.")
    }

    private func lost(_ failure: RedisTLSFailure) -> RedisError {
        switch failure {
        case .broken(let reason): lost(reason)
        case .settings(let problem): RedisError(.configuration, "\(problem).")
        case .refused(let reason):
            RedisError(
                .tls,
                "TLS verification failed for Redis at \(configuration): \(reason). Check "
                    + "REDIS_SSL_CA_LOCATION, and that the certificate names the host of REDIS_URL.")
        }
    }

    private static func reason(_ context: UnsafeMutablePointer<redisContext>) -> String {
        let isTimeout = context.pointee.err == REDIS_ERR_IO && (errno == EAGAIN || errno == ETIMEDOUT)
        if isTimeout || context.pointee.err == timeoutErrorOfHiredis1 { return "no answer in time" }
        return withUnsafeBytes(of: context.pointee.errstr) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// A free function, because the method `send` hides the system's inside the class.
private func write(_ count: Int, from start: UnsafeRawPointer, to socket: Int32) -> Int {
    send(socket, start, count, Int32(MSG_NOSIGNAL))
}

extension timeval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
