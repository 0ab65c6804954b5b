import Domain
import Support

/// Events of a channel that were sent to a client and await its acknowledgement.
///
/// An acknowledgement contains the last received event of each source and covers all earlier ones, so only the last of
/// several events of a source sent in the same millisecond is stored. Times come from a monotonic clock.
struct UnacknowledgedEvents: Sendable {
    private struct Entry {
        var event: EventID
        var sentAt: Timestamp
    }

    static let capacity = 512

    /// Oldest first.
    private var entries: [Entry] = []
    /// For each source, the last event sent, which is the newest that the client may acknowledge.
    private var sent: ChannelCursor

    /// - Parameter cursor: the client's cursor when it subscribed.
    init(from cursor: ChannelCursor) { sent = cursor }

    var count: Int { entries.count }

    /// Drops all entries, because the client receives a full snapshot up to `cursor`.
    mutating func restart(at cursor: ChannelCursor) {
        entries.removeAll()
        sent = cursor
    }

    /// Records the sending of an event, which must be the newest of its source.
    ///
    /// `isRequired`: whether the client must acknowledge the event; if `false`, the client may.
    /// - Returns: `false` if the capacity is exhausted.
    mutating func recordSent(_ event: EventID, isRequired: Bool, at now: Timestamp) -> Bool {
        sent.advance(to: event)
        guard isRequired else { return true }
        for index in entries.indices.reversed() {
            guard entries[index].sentAt == now else { break }
            guard entries[index].event.isSameSource(as: event) else { continue }
            entries[index].event = event
            return true
        }
        guard entries.count < Self.capacity else { return false }
        entries.append(Entry(event: event, sentAt: now))
        return true
    }

    /// Removes the entries that `cursor` covers.
    ///
    /// - Returns: the waiting time of each removed entry in milliseconds; `nil`, with nothing removed, if `cursor` has
    ///   an event that was not sent yet.
    mutating func acknowledge(_ cursor: ChannelCursor, at now: Timestamp) -> [Int64]? {
        guard cursor.events.allSatisfy(sent.includes) else { return nil }
        var waits: [Int64] = []
        entries.removeAll { entry in
            guard cursor.includes(entry.event) else { return false }
            waits.append(now.milliseconds - entry.sentAt.milliseconds)
            return true
        }
        return waits
    }

    /// Returns whether the oldest entry has waited for more than `milliseconds`.
    func isOverdue(at now: Timestamp, after milliseconds: Int64) -> Bool {
        entries.first.map { now.milliseconds - $0.sentAt.milliseconds > milliseconds } ?? false
    }
}
