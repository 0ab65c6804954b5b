/// An error that the server reports to a client, with its code (PostgreSQL documentation, appendix A).
struct PostgresFailure: Error {
    let state: String
    let message: String
    let hint: String?

    init(_ state: String, _ message: String, hint: String? = nil) {
        (self.state, self.message, self.hint) = (state, message, hint)
    }
}

/// Result of a statement.
enum PostgresReply {
    typealias Column = (name: String, type: UInt32)

    case rows([Column], [[String?]])
    /// A statement without rows; `affected` is `nil` if it counts none.
    case command(affected: Int?)
    case copyIn
    /// An error; `isFatal` if the server closes the connection.
    case failure(PostgresFailure, isFatal: Bool)
}

/// Message from the server to a client.
enum PostgresMessage {
    enum TransactionState {
        case none
        case active
        case failed
    }

    case authenticated(processID: Int32)
    case reply(PostgresReply)
    case ready(TransactionState)
}
