import DequeModule
import NIOCore

/// Frames that wait for a slow client: positions give way to newer ones, everything else is kept, up to a limit.
struct SendQueue {
    private struct Entry {
        var frame: ByteBuffer
        /// The channel whose position it is; `nil` for what must not be left out.
        var position: ChannelName?
    }

    /// How many frames wait at most; a client that needs more is closed rather than given gaps.
    static let limit = 512

    private var entries: Deque<Entry> = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Appends a frame.
    ///
    /// `position`: the channel whose position it tells; the one before of the same channel is dropped.
    /// - Returns: `false`, and nothing is appended, when the limit is reached.
    mutating func append(_ frame: ByteBuffer, position: ChannelName? = nil) -> Bool {
        if let position { entries.removeAll { $0.position == position } }
        guard entries.count < Self.limit else { return false }
        entries.append(Entry(frame: frame, position: position))
        return true
    }

    /// Takes the oldest frame.
    mutating func popFirst() -> ByteBuffer? { entries.popFirst()?.frame }

    mutating func removeAll() { entries.removeAll() }
}
