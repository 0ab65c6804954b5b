import Model
import Support

/// What a client who acknowledges the events of a channel has been told of it, and what of that it has yet to
/// acknowledge.
///
/// An acknowledgement names the last event of each source that the client has had, and covers those before it. Of the
/// events of a source that are told in the same millisecond, the last one is therefore enough to remember.
package struct UnacknowledgedEvents: Sendable {
    private struct Entry {
        var event: EventID
        var toldAt: Timestamp
    }

    /// How many entries are remembered at most.
    package static let capacity = 512

    /// Oldest first.
    private var entries: [Entry] = []
    /// The last event of each source that the client may name.
    private var told: ChannelCursor

    /// `cursor`: what the client has had before.
    package init(from cursor: ChannelCursor) { told = cursor }

    /// How many entries are remembered.
    package var count: Int { entries.count }

    /// The client is told the state in full, up to `cursor`: nothing before needs to be acknowledged any more.
    package mutating func restart(at cursor: ChannelCursor) {
        entries.removeAll()
        told = cursor
    }

    /// The client is told an event.
    ///
    /// - Parameters:
    ///   - event: of the channel; of its source the newest.
    ///   - isRequired: whether it has to be acknowledged; if not, it may be.
    ///   - now: of a clock that only goes forward, as everywhere here.
    /// - Returns: `false` where there is no room to remember it.
    package mutating func tell(_ event: EventID, isRequired: Bool, at now: Timestamp) -> Bool {
        told.advance(to: event)
        guard isRequired else { return true }
        for index in entries.indices.reversed() {
            guard entries[index].toldAt == now else { break }
            guard entries[index].event.isSameSource(as: event) else { continue }
            entries[index].event = event
            return true
        }
        guard entries.count < Self.capacity else { return false }
        entries.append(Entry(event: event, toldAt: now))
        return true
    }

    /// The client has had everything up to `cursor`.
    ///
    /// - Returns: how many milliseconds each entry has waited that this acknowledges; `nil`, and nothing is
    ///   acknowledged, where `cursor` names an event that the client was not told.
    package mutating func acknowledge(_ cursor: ChannelCursor, at now: Timestamp) -> [Int64]? {
        guard cursor.list.allSatisfy(told.includes) else { return nil }
        var waits: [Int64] = []
        entries.removeAll { entry in
            guard cursor.includes(entry.event) else { return false }
            waits.append(now.milliseconds - entry.toldAt.milliseconds)
            return true
        }
        return waits
    }

    /// Whether an event has waited for more than `milliseconds`.
    package func isOverdue(at now: Timestamp, after milliseconds: Int64) -> Bool {
        entries.first.map { now.milliseconds - $0.toldAt.milliseconds > milliseconds } ?? false
    }
}
