import NIOCore

/// Limits the memory of unfinished messages of all sockets of one event loop.
///
/// Over the limit, the socket whose message was started first is closed: a client that keeps sending finishes its
/// message within seconds, whereas an abandoned message occupies its memory for long.
final class UnfinishedMessages: @unchecked Sendable {
    // @unchecked: every function but `init` is called on one event loop.
    private struct Message {
        var bytes: Int
        /// Order in which the messages were started.
        let turn: UInt64
        let end: () -> Void
    }

    /// Limit of the whole process.
    private static let totalBytes = 64 << 20
    private static let leastBytes = 16 << 20

    let limit: Int
    private(set) var total = 0
    private var messages: [ObjectIdentifier: Message] = [:]
    private var turn: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// Creates the share of one of `loops` event loops.
    convenience init(loops: Int) { self.init(limit: max(Self.leastBytes, Self.totalBytes / max(1, loops))) }

    /// Sets the size of a socket's unfinished message; 0 if it has none.
    ///
    /// `end` closes the socket.
    func set(_ bytes: Int, of socket: AnyObject, end: @escaping () -> Void) {
        let id = ObjectIdentifier(socket)
        total += bytes - (messages[id]?.bytes ?? 0)
        if bytes == 0 {
            messages[id] = nil
        } else if messages[id] != nil {
            messages[id]?.bytes = bytes
        } else {
            turn += 1
            messages[id] = Message(bytes: bytes, turn: turn, end: end)
        }
        while total > limit, let oldest = messages.min(by: { $0.value.turn < $1.value.turn }) {
            total -= oldest.value.bytes
            messages[oldest.key] = nil
            oldest.value.end()
        }
    }
}
