import NIOCore
import Synchronization

/// Open connections of a server, up to a limit.
///
/// At the limit, a new connection replaces the one that has been idle longest; if none is idle, the one whose request
/// began first; if all are exempt (``keep(_:)``), the new one is closed. So idle connections cannot block others, and
/// the number of descriptors stays bounded.
package final class ConnectionTable: Sendable {
    private enum State {
        case idle, responding, kept
    }

    private struct Entry {
        let channel: any Channel
        var state: State
        /// Number of the last state change, counted over all connections.
        var turn: UInt64
    }

    /// Connections in the order in which they entered a state; those that left it are skipped.
    private struct Queue {
        private var places: [(id: ObjectIdentifier, turn: UInt64)] = []
        private var first = 0

        mutating func append(_ id: ObjectIdentifier, _ turn: UInt64, _ entries: [ObjectIdentifier: Entry]) {
            // Compacts here, because a first connection that stays would keep the places of all that come and go.
            if places.count > 2 * entries.count + 64 {
                places = places[first...].filter { entries[$0.id]?.turn == $0.turn }
                first = 0
            }
            places.append((id, turn))
        }

        mutating func popFirst(_ entries: [ObjectIdentifier: Entry]) -> ObjectIdentifier? {
            while first < places.count {
                let place = places[first]
                first += 1
                if entries[place.id]?.turn == place.turn { return place.id }
            }
            (places, first) = ([], 0)
            return nil
        }
    }

    private struct Connections {
        var entries: [ObjectIdentifier: Entry] = [:]
        var idle = Queue()
        var responding = Queue()
        var turn: UInt64 = 0

        mutating func move(_ id: ObjectIdentifier, to state: State) {
            turn += 1
            entries[id]?.state = state
            entries[id]?.turn = turn
            switch state {
            case .idle: idle.append(id, turn, entries)
            case .responding: responding.append(id, turn, entries)
            case .kept: break
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

    /// Adds a connection; at the limit, closes another or the new one.
    /// - Returns: whether no connection was closed.
    @discardableResult
    package func open(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let excess: (any Channel)? = connections.withLock { all in
            var excess: (any Channel)?
            if all.entries.count >= limit {
                guard let place = all.idle.popFirst(all.entries) ?? all.responding.popFirst(all.entries) else {
                    return channel
                }
                excess = all.entries.removeValue(forKey: place)?.channel
            }
            all.entries[id] = Entry(channel: channel, state: .idle, turn: 0)
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
    package func keep(_ channel: any Channel) { move(channel, to: .kept) }

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
