import NIOCore

/// What a session writes to: a WebSocket, or the body of an answer.
///
/// Belongs to the connection's event loop.
protocol SessionWriter: AnyObject {
    /// Whether the connection takes more at once; what it does not take waits in the session.
    var isWritable: Bool { get }
    func write(_ frame: ByteBuffer)
    func flush()
    /// Shows the client, and what is between, that the connection is alive.
    func ping()
    /// Ends the connection after what was written.
    func close(_ code: SocketCloseCode)
}
