import NIOCore
import Synchronization

/// Open connections of a server, up to a limit.
///
/// At the limit, a new connection replaces the one that has been idle longest; if none is idle, the one whose request
/// began first; if all are exempt (``keep(_:)``), the new one is closed. So idle connections cannot block others, and
/// the number of descriptors stays bounded.
package final class ConnectionTable: Sendable {
    private enum State {
        case idle, responding, exempt
    }

    private struct Entry {
        let channel: any Channel
        var state: State
        /// Sequence number of the last state change, over all connections.
        var sequence: UInt64
    }

    /// Connections in the order in which they entered a state; those that left it are skipped.
    private struct Queue {
        private var items: [(id: ObjectIdentifier, sequence: UInt64)] = []
        private var first = 0

        mutating func append(_ id: ObjectIdentifier, _ sequence: UInt64, _ entries: [ObjectIdentifier: Entry]) {
            // Outdated items are removed here, because popFirst runs only at the connection limit.
            if items.count > 2 * entries.count + 64 {
                items = items[first...].filter { entries[$0.id]?.sequence == $0.sequence }
                first = 0
            }
            items.append((id, sequence))
        }

        mutating func popFirst(_ entries: [ObjectIdentifier: Entry]) -> ObjectIdentifier? {
            while first < items.count {
                let item = items[first]
                first += 1
                if entries[item.id]?.sequence == item.sequence { return item.id }
            }
            (items, first) = ([], 0)
            return nil
        }
    }

    private struct Connections {
        var entries: [ObjectIdentifier: Entry] = [:]
        var idle = Queue()
        var responding = Queue()
        var lastSequence: UInt64 = 0

        mutating func move(_ id: ObjectIdentifier, to state: State) {
            lastSequence += 1
            entries[id]?.state = state
            entries[id]?.sequence = lastSequence
            switch state {
            case .idle: idle.append(id, lastSequence, entries)
            case .responding: responding.append(id, lastSequence, entries)
            case .exempt: break
            }
        }
    }

    private let connections = Mutex(Connections())
    private let limit: Int

    /// - Parameter limit: maximum open connections, at least 1.
    package init(limit: Int) {
        precondition(limit >= 1, "The connection limit must be at least 1.")
        self.limit = limit
    }

    /// Adds a connection; at the limit, closes another connection or the new one.
    /// - Returns: whether no connection was closed.
    @discardableResult
    package func open(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let excess: (any Channel)? = connections.withLock { all in
            var excess: (any Channel)?
            if all.entries.count >= limit {
                guard let oldest = all.idle.popFirst(all.entries) ?? all.responding.popFirst(all.entries) else {
                    return channel
                }
                excess = all.entries.removeValue(forKey: oldest)?.channel
            }
            all.entries[id] = Entry(channel: channel, state: .idle, sequence: 0)
            all.move(id, to: .idle)
            return excess
        }
        excess?.close(promise: nil)
        return excess == nil
    }

    /// Marks a connection as responding; call when a request begins.
    package func beginResponse(_ channel: any Channel) { move(channel, to: .responding) }

    /// Marks a connection as idle; call when the response is written.
    package func endResponse(_ channel: any Channel) { move(channel, to: .idle) }

    /// Exempts a long-lived connection (WebSocket, event stream) from being replaced.
    package func keep(_ channel: any Channel) { move(channel, to: .exempt) }

    package func close(_ channel: any Channel) { connections.withLock { $0.entries[ObjectIdentifier(channel)] = nil } }

    private func move(_ channel: any Channel, to state: State) {
        let id = ObjectIdentifier(channel)
        connections.withLock { all in
            // A replaced connection is closed or about to close.
            guard all.entries[id] != nil else { return }
            all.move(id, to: state)
        }
    }
}
