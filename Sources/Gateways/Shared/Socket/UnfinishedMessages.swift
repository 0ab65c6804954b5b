import NIOCore

/// Bounds what messages hold in memory that clients have begun and not finished, over all sockets of one event loop.
///
/// Beyond the limit the socket is closed whose message was begun first: a message of a client that goes on sending is
/// whole after some seconds, and one that is only begun holds its memory as long as it may.
final class UnfinishedMessages: @unchecked Sendable {
    // @unchecked: every function but `init` is called on one event loop.
    private struct Message {
        var bytes: Int
        /// In the order in which messages were begun.
        let turn: UInt64
        let end: () -> Void
    }

    /// Of the whole process.
    private static let totalBytes = 64 << 20
    private static let leastBytes = 16 << 20

    let limit: Int
    private(set) var total = 0
    private var messages: [ObjectIdentifier: Message] = [:]
    private var turn: UInt64 = 0

    /// `limit`: in bytes.
    init(limit: Int) { self.limit = limit }

    /// The share of one of `loops` event loops.
    convenience init(loops: Int) { self.init(limit: max(Self.leastBytes, Self.totalBytes / max(1, loops))) }

    /// Counts the bytes that the unfinished message of a socket has now; 0 where there is none.
    ///
    /// `end`: closes the socket.
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
