import CPQ
import Foundation

/// Classification of failed connection attempts.
///
/// libpq returns the reason as text only, in the server's language. If the server answers, a second
/// attempt returns a code, which distinguishes permanent errors (wrong password) from temporary
/// ones.
enum ConnectionFailure {
    /// Returns the error of a failed attempt; the caller must free the handle.
    static func error(
        failed: OpaquePointer?, configuration: PostgresConfiguration, password: String?
    ) -> PostgresError {
        let reason = sentence(failed.flatMap { PQerrorMessage($0) }, hiding: password)
        if isTrustError(reason) {
            return PostgresError(
                code: .untrusted,
                message:
                    "TLS verification of Postgres failed: \(reason). Check sslmode, sslrootcert and the "
                    + "host in POSTGRES_URL, and the certificate of the server.")
        }
        if serverAnswers(configuration), let state = rejectionState(configuration) {
            return advised(PostgresError.server(reason, sqlState: state, code: .connectionFailed), configuration)
        }
        let advice = configuration.advice.isEmpty ? "Check POSTGRES_URL." : configuration.advice
        return PostgresError(
            code: .connectionFailed, message: "Cannot connect to Postgres: \(reason). \(advice)", isRetriable: true)
    }

    /// Adds the advice to a permanent error; another server may run at the default address.
    static func advised(_ error: PostgresError, _ configuration: PostgresConfiguration) -> PostgresError {
        guard !error.isRetriable, !configuration.advice.isEmpty else { return error }
        return PostgresError(
            code: error.code, sqlState: error.sqlState, message: "\(error.message) \(configuration.advice)",
            isRetriable: error.isRetriable)
    }

    /// Returns whether `reason` is a failure of TLS verification, which is permanent; libpq has no code for it.
    static func isTrustError(_ reason: String) -> Bool {
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

    /// Connects again and returns the SQLSTATE of the server's rejection, if any.
    private static func rejectionState(_ configuration: PostgresConfiguration) -> String? {
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

    /// Returns the last code in texts such as `FATAL:  28P01: password authentication failed`.
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

    /// Converts libpq's message to one line, without hints (after a tab), full stop and password.
    static func sentence(_ message: UnsafePointer<CChar>?, hiding password: String?) -> String {
        let text = message.map { String(cString: $0) } ?? "no reason given"
        let lines = text.split(whereSeparator: \.isNewline).filter { $0.first != "\t" }
        var line = lines.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.joined(separator: "; ")
        while line.last == "." { line.removeLast() }
        return line.isEmpty ? "no reason given" : hide(password, in: line)
    }

    static func hide(_ password: String?, in text: String) -> String {
        guard let password, !password.isEmpty, text.contains(password) else { return text }
        return text.split(separator: password, omittingEmptySubsequences: false).joined(separator: "***")
    }
}

enum ConnectionString {
    /// Returns the password in `url`, if any.
    /// - Throws: ``PostgresError`` if `url` is invalid; the message omits the URL, which may have a password.
    static func password(in url: String) throws -> String? {
        var reason: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &reason) else {
            PQfreemem(reason)
            throw PostgresError(
                code: .badConnectionString,
                message:
                    "POSTGRES_URL is invalid. It must have the format postgresql://user:password@host:port/database, "
                    + "with special characters of the password percent-encoded.")
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
