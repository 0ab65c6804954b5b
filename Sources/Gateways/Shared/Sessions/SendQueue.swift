import DequeModule
import NIOCore

/// Queue of frames for a slow client; a driver position replaces an older one of the same channel.
struct SendQueue {
    private struct Entry {
        var frame: ByteBuffer
        /// Channel whose driver position the frame reports; `nil` for frames that must not be dropped.
        var positionChannel: ChannelName?
    }

    /// Maximum number of frames; beyond it the connection is closed, so that no frame is lost silently.
    static let limit = 512

    private var entries: Deque<Entry> = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Appends a frame and drops the queued position of the same channel, if any.
    /// - Returns: `false` if the queue is full; in this case nothing is appended.
    mutating func append(_ frame: ByteBuffer, position: ChannelName? = nil) -> Bool {
        if let position { entries.removeAll { $0.positionChannel == position } }
        guard entries.count < Self.limit else { return false }
        entries.append(Entry(frame: frame, positionChannel: position))
        return true
    }

    mutating func popFirst() -> ByteBuffer? { entries.popFirst()?.frame }

    mutating func removeAll() { entries.removeAll() }
}
