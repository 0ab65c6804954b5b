/// What went wrong with Postgres, and what to do about it.
///
/// Callers branch on ``isRetriable`` and ``isFatal``, never on the text. A message never holds a password: libpq's own
/// texts do not, and whatever passes through here is searched for the connection's password besides.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing failed.
    package enum Code: Hashable, Sendable {
        /// The connection string cannot be read.
        case badConnectionString
        /// No connection could be made.
        case connectionFailed
        /// The connection is not as safe as the connection string asks, or one side's certificate is not accepted.
        case untrusted
        /// A connection that stood is gone; what was under way may or may not have happened.
        case connectionLost
        /// The server did not answer in time; the connection is given up, as the answer could still come.
        case timedOut
        /// The server refused a statement; ``PostgresError/sqlState`` says why.
        case refused
        /// A value could not be read as the type that was asked for.
        case unexpectedResult
        /// The schema in the database is not the one this program needs.
        case schema
    }

    package let code: Code
    /// Five characters, as in the appendix "PostgreSQL Error Codes"; `nil` where the server said nothing.
    package let sqlState: String?
    /// One sentence, and one more that names the fix where there is one.
    package let message: String
    /// The same call may succeed later without any intervention.
    package let isRetriable: Bool

    /// The process cannot go on with this database as it is: everything that waiting does not mend.
    package var isFatal: Bool { !isRetriable }

    package var description: String { message }

    package init(code: Code, sqlState: String? = nil, message: String, isRetriable: Bool) {
        self.code = code
        self.sqlState = sqlState
        self.message = message
        self.isRetriable = isRetriable
    }

    /// An error that the server reported, from its own sentence (without a full stop) and code.
    package static func server(_ primary: String, sqlState: String, code: Code = .refused) -> PostgresError {
        let state = SQLState(sqlState)
        let sentence = primary.isEmpty ? "Postgres refused" : "Postgres: \(primary)"
        let advice = state.advice.map { " \($0)" } ?? ""
        return PostgresError(
            code: state.endsConnection ? .connectionLost : code, sqlState: sqlState,
            message: "\(sentence) (SQLSTATE \(sqlState)).\(advice)", isRetriable: state.isRetriable)
    }
}
