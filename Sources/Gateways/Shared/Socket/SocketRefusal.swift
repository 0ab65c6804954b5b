/// Why a WebSocket is closed as soon as it is open.
enum SocketRefusal: Error {
    /// Its address opens too many; the wait is in milliseconds.
    case tooFast(wait: Int64)
    case token(TokenRejection)
}
