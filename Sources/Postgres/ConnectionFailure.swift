import CPQ
import Glibc

/// Why a connection could not be made.
///
/// libpq gives the reason as text alone, in the server's language. Where the server did answer, it is asked once more
/// with its error codes shown, so that "wrong password" (for ever) and "starting up" (for now) are told apart by code.
enum ConnectionFailure {
    /// The error for a failed attempt, whose handle stays the caller's.
    static func error(
        failed: OpaquePointer?, configuration: PostgresConfiguration, password: String?
    ) -> PostgresError {
        let reason = sentence(failed.flatMap { PQerrorMessage($0) }, hiding: password)
        if isAboutTrust(reason) {
            return PostgresError(
                code: .untrusted,
                message:
                    "TLS verification of Postgres failed: \(reason). Check sslmode, sslrootcert and the "
                    + "host in POSTGRES_URL, and the certificate of the server.",
                isRetriable: false)
        }
        if serverAnswers(configuration), let state = refusal(configuration) {
            return advised(PostgresError.server(reason, sqlState: state, code: .connectionFailed), configuration)
        }
        let advice = configuration.advice.isEmpty ? "Is POSTGRES_URL right?" : configuration.advice
        return PostgresError(
            code: .connectionFailed, message: "Cannot connect to Postgres: \(reason). \(advice)", isRetriable: true)
    }

    /// A refusal that waiting does not mend, with the advice: at the default address there may be another server than
    /// ours.
    static func advised(_ error: PostgresError, _ configuration: PostgresConfiguration) -> PostgresError {
        guard !error.isRetriable, !configuration.advice.isEmpty else { return error }
        return PostgresError(
            code: error.code, sqlState: error.sqlState, message: "\(error.message) \(configuration.advice)",
            isRetriable: error.isRetriable)
    }

    /// Whether the two sides do not accept each other, which no waiting mends; libpq has no codes for that.
    static func isAboutTrust(_ reason: String) -> Bool {
        let phrases = [
            "certificate verify failed", "does not match host name", "root certificate file", "certificate file",
            "private key file", "server does not support SSL", "SSL error: tlsv1", "SSL error: sslv3",
        ]
        return phrases.contains { reason.contains($0) }
    }

    private static func serverAnswers(_ configuration: PostgresConfiguration) -> Bool {
        let answer = PostgresConnection.withKeywords(of: configuration) { PQpingParams($0, $1, 1) }
        return answer == PQPING_OK || answer == PQPING_REJECT
    }

    /// The SQLSTATE with which the server turns a connection away; `nil` when this attempt fails otherwise, or works.
    private static func refusal(_ configuration: PostgresConfiguration) -> String? {
        guard let handle = PostgresConnection.withKeywords(of: configuration, { PQconnectStartParams($0, $1, 1) })
        else { return nil }
        defer { PQfinish(handle) }
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let deadline = ContinuousClock.now + configuration.connectTimeout
        var state = PGRES_POLLING_WRITING
        while PQstatus(handle) != CONNECTION_BAD, ContinuousClock.now < deadline {
            let events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
            var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            poll(&descriptor, 1, 100)
            guard descriptor.revents != 0 else { continue }
            state = PQconnectPoll(handle)
            if state == PGRES_POLLING_OK || state == PGRES_POLLING_FAILED { break }
        }
        guard state == PGRES_POLLING_FAILED, let message = PQerrorMessage(handle) else { return nil }
        return lastSQLState(in: String(cString: message))
    }

    /// The code in `FATAL:  28P01: password authentication failed`; of several hosts' answers, the last.
    static func lastSQLState(in message: String) -> String? {
        var found: String?
        for line in message.split(separator: "\n") {
            for part in line.split(separator: " ", omittingEmptySubsequences: true)
            where part.count == 6 && part.last == ":" {
                let code = part.dropLast()
                if code.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
                    code.utf8.contains(where: { (48...57).contains($0) })
                {
                    found = String(code)
                    break
                }
            }
        }
        return found
    }

    /// libpq's message as part of a sentence: one line, without its hints (indented), full stop and the password.
    static func sentence(_ message: UnsafePointer<CChar>?, hiding password: String?) -> String {
        let text = message.map { String(cString: $0) } ?? "no reason given"
        let lines = text.split(whereSeparator: \.isNewline).filter { $0.first != "\t" }
        var line = lines.map { String($0).trimmed }.joined(separator: "; ")
        while line.last == "." { line.removeLast() }
        return line.isEmpty ? "no reason given" : hide(password, in: line)
    }

    static func hide(_ password: String?, in text: String) -> String {
        guard let password, !password.isEmpty, text.contains(password) else { return text }
        return text.split(separator: password, omittingEmptySubsequences: false).joined(separator: "***")
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let kept = start.reversed().drop(while: \.isWhitespace).reversed()
        return String(kept)
    }
}

/// What can be learned of a connection string without connecting.
enum ConnectionString {
    /// The password that `url` holds, if any.
    /// - Throws: ``PostgresError`` when libpq cannot read it. The text is not repeated: it may hold the password.
    static func password(in url: String) throws -> String? {
        var reason: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &reason) else {
            PQfreemem(reason)
            throw PostgresError(
                code: .badConnectionString,
                message: "POSTGRES_URL cannot be read. Give it as postgresql://user:password@host:port/database, "
                    + "with special characters of the password percent-encoded.",
                isRetriable: false)
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if strcmp(keyword, "password") == 0 { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }
}
