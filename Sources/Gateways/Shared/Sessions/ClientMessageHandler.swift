import NIOCore

/// A session that takes the messages of its client.
protocol ClientMessageHandler: ClientSession {
    /// Takes one text message, whole.
    func take(_ text: ByteBuffer)
}
