import NIOCore
import Synchronization

/// The open connections of a server, which has room for some.
///
/// Every connection is let in. Where there is no room, the connection that has been without a request for longest goes;
/// where none is without, the one whose answer was begun first; and where all are kept, the new one. So connections that
/// only stay open keep no other from being answered, and the process keeps its descriptors.
package final class ConnectionTable: Sendable {
    private enum State {
        case idle, answering, kept
    }

    private struct Entry {
        let channel: any Channel
        var state: State
        /// When it came to its state, by a number that grows.
        var turn: UInt64
    }

    /// Connections in the order in which they came to a state; those that have left it are skipped.
    private struct Line {
        private var places: [(id: ObjectIdentifier, turn: UInt64)] = []
        private var first = 0

        mutating func append(_ id: ObjectIdentifier, _ turn: UInt64, _ entries: [ObjectIdentifier: Entry]) {
            // Also where a connection stays first for long: the ones behind it come and go.
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
        var idle = Line()
        var answering = Line()
        var turn: UInt64 = 0

        mutating func move(_ id: ObjectIdentifier, to state: State) {
            turn += 1
            entries[id]?.state = state
            entries[id]?.turn = turn
            switch state {
            case .idle: idle.append(id, turn, entries)
            case .answering: answering.append(id, turn, entries)
            case .kept: break
            }
        }
    }

    private let connections = Mutex(Connections())
    private let limit: Int

    /// `limit`: how many connections may be open at once, at least 1.
    package init(limit: Int) {
        precondition(limit >= 1, "An endpoint was configured for no connections.")
        self.limit = limit
    }

    /// Lets a connection in, and closes another where there is no room for both.
    /// - Returns: whether there was room.
    @discardableResult
    package func open(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let excess: (any Channel)? = connections.withLock { all in
            var excess: (any Channel)?
            if all.entries.count >= limit {
                guard let place = all.idle.popFirst(all.entries) ?? all.answering.popFirst(all.entries) else {
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

    /// A request has begun to come.
    package func beginAnswer(_ channel: any Channel) { move(channel, to: .answering) }

    /// The answer is written: the connection is the one that became idle last.
    package func endAnswer(_ channel: any Channel) { move(channel, to: .idle) }

    /// The connection stays open until its own end: its client was let in for longer than an answer takes.
    package func keep(_ channel: any Channel) { move(channel, to: .kept) }

    package func close(_ channel: any Channel) {
        connections.withLock { $0.entries[ObjectIdentifier(channel)] = nil }
    }

    private func move(_ channel: any Channel, to state: State) {
        let id = ObjectIdentifier(channel)
        connections.withLock { all in
            // One that had to go is closed by now, or soon.
            guard all.entries[id] != nil else { return }
            all.move(id, to: state)
        }
    }
}
