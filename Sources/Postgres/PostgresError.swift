/// Error of a Postgres connection or statement.
///
/// Messages never contain a password: it is masked in all texts of libpq and the server.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// Invalid connection string.
        case badConnectionString
        case connectionFailed
        /// TLS is required but not available, or a certificate was not accepted.
        case untrusted
        /// The connection broke; the last statement may or may not have been executed.
        case connectionLost
        /// The server did not answer in time; the connection was closed.
        case timedOut
        /// The server rejected a statement; see ``PostgresError/sqlState``.
        case refused
        /// A value does not have the requested type.
        case unexpectedResult
        /// The database has another schema than required.
        case schema
    }

    package let code: Code
    /// Error code of five characters (PostgreSQL documentation, appendix A); `nil` if the server sent none.
    package let sqlState: String?
    /// One sentence, and a second one with the fix if it is known.
    package let message: String
    /// Whether the same call may succeed later; otherwise an operator must fix the problem.
    package let isRetriable: Bool

    package var description: String { message }

    package init(code: Code, sqlState: String? = nil, message: String, isRetriable: Bool = false) {
        self.code = code
        self.sqlState = sqlState
        self.message = message
        self.isRetriable = isRetriable
    }

    /// Creates an error from the server's message (without a full stop) and code.
    package static func server(_ primary: String, sqlState: String, code: Code = .refused) -> PostgresError {
        let state = SQLState(sqlState)
        let sentence = primary.isEmpty ? "Postgres reported an error" : "Postgres: \(primary)"
        let advice = state.advice.map { " \($0)" } ?? ""
        return PostgresError(
            code: state.endsConnection ? .connectionLost : code, sqlState: sqlState,
            message: "\(sentence) (SQLSTATE \(sqlState)).\(advice)", isRetriable: state.isRetriable)
    }
}
