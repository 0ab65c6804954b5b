import NIOCore

/// Destination of a session's frames: a WebSocket or the body of a response.
///
/// Use only on the connection's event loop.
protocol SessionWriter: AnyObject {
    /// Whether the connection accepts more data; if not, the session queues frames.
    var isWritable: Bool { get }
    /// Encodes a message for the connection; by default as a WebSocket frame.
    func frame(_ message: ByteBuffer) -> ByteBuffer
    func write(_ frame: ByteBuffer)
    func flush()
    /// Sends a keepalive to the client and to proxies in between.
    func ping()
    /// Closes the connection after the pending writes.
    func close(_ code: SocketCloseCode)
}

extension SessionWriter {
    func frame(_ message: ByteBuffer) -> ByteBuffer { WebSocketText.frame(message) }
}
