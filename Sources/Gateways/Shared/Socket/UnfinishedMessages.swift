/// Memory limit for the unfinished messages of one event loop's sockets.
///
/// Above the limit, the socket whose message was started first is closed. A client that keeps sending finishes its
/// message within seconds, whereas an abandoned message would occupy its memory until a timeout.
final class UnfinishedMessages: @unchecked Sendable {
    // @unchecked: every function but `init` is called on one event loop.
    private struct Message {
        var bytes: Int
        /// Number in the order in which messages were started.
        let startNumber: UInt64
        let end: () -> Void
    }

    /// Limit of the process, divided among its event loops with a minimum for each.
    private static let totalBytes = 64 << 20
    private static let minimumBytes = 16 << 20

    let limit: Int
    private(set) var total = 0
    private var messages: [ObjectIdentifier: Message] = [:]
    private var startedCount: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// Creates the limit of one event loop in a process with `loops` event loops.
    convenience init(loops: Int) { self.init(limit: max(Self.minimumBytes, Self.totalBytes / max(1, loops))) }

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
            startedCount += 1
            messages[id] = Message(bytes: bytes, startNumber: startedCount, end: end)
        }
        while total > limit, let oldest = messages.min(by: { $0.value.startNumber < $1.value.startNumber }) {
            total -= oldest.value.bytes
            messages[oldest.key] = nil
            oldest.value.end()
        }
    }
}
