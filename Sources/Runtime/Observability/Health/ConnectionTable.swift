import NIOCore
import Synchronization

/// The open connections of an endpoint, which has room for some.
///
/// Every connection is let in. Where there is no room, the connection that has been without a request for longest goes:
/// so connections that only stay open keep no other from being answered, and the process keeps its descriptors.
final class ConnectionTable: Sendable {
    private struct Entry {
        var channel: any Channel
        var isAnswering = false
    }

    /// In the order in which they became idle.
    private let entries = Mutex<[Entry]>([])
    private let limit: Int

    /// `limit`: how many connections may be open at once, at least 1.
    init(limit: Int) {
        precondition(limit >= 1, "An endpoint was configured for no connections.")
        self.limit = limit
    }

    /// Lets a connection in, and closes another where there is no room for both.
    func open(_ channel: any Channel) {
        let excess: (any Channel)? = entries.withLock { entries in
            var excess: (any Channel)?
            if entries.count >= limit {
                let index = entries.firstIndex { !$0.isAnswering } ?? 0
                excess = entries.remove(at: index).channel
            }
            entries.append(Entry(channel: channel))
            return excess
        }
        excess?.close(promise: nil)
    }

    /// Notes that a request has begun to come.
    func beginAnswer(_ channel: any Channel) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel === channel }) else { return }
            entries[index].isAnswering = true
        }
    }

    /// Notes that the answer is written: the connection is the one that became idle last.
    func endAnswer(_ channel: any Channel) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel === channel }) else { return }
            var entry = entries.remove(at: index)
            entry.isAnswering = false
            entries.append(entry)
        }
    }

    func close(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }
}
