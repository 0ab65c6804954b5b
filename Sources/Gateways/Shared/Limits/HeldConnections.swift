import CoreMetrics
import Support
import Synchronization

/// Bounds what each user holds open at once, over all event loops: sockets, or requests whose answer waits.
///
/// A connection whose other end has vanished stays open until the system notices. So that such ones lock nobody out who
/// comes back, the one that was silent for longest gives way, if it was silent for longer than a live one can be.
final class HeldConnections: Sendable {
    private let limit: Int
    /// `nil` where none gives way.
    private let silence: Duration?
    private let users = Mutex<[String: [HeldConnection]]>([:])
    private let refusals: Counter

    /// - Parameters:
    ///   - limit: for each user; `nil` for none.
    ///   - silence: after which a connection gives way to a new one; `nil` where none does.
    init(limit: Int?, silence: Duration?) {
        self.limit = limit ?? .max
        self.silence = silence
        refusals = Counter(.gatewayLimited, [(.type, "connections")])
    }

    /// Holds a connection of a user until ``HeldConnection/release()``.
    ///
    /// `end`: ends the connection where it gives way; may be called by any thread.
    /// - Returns: `nil` where the user has as many as allowed.
    func hold(_ user: String, at now: Timestamp, end: @escaping @Sendable () -> Void = {}) -> HeldConnection? {
        let new = HeldConnection(user, self, at: now, end: end)
        var silent: HeldConnection?
        let isHeld = users.withLock { users in
            var held = users[user, default: []]
            if held.count >= limit {
                guard let place = placeOfSilent(held, at: now) else { return false }
                silent = held.remove(at: place)
            }
            held.append(new)
            users[user] = held
            return true
        }
        silent?.end()
        if !isHeld { refusals.increment() }
        return isHeld ? new : nil
    }

    /// Whether the user can hold no more; counted as a refusal.
    func refuses(_ user: String) -> Bool {
        let isFull = users.withLock { ($0[user]?.count ?? 0) >= limit }
        if isFull { refusals.increment() }
        return isFull
    }

    fileprivate func release(_ connection: HeldConnection) {
        users.withLock { users in
            guard let place = users[connection.user]?.firstIndex(where: { $0 === connection }) else { return }
            users[connection.user]?.remove(at: place)
            if users[connection.user]?.isEmpty == true { users[connection.user] = nil }
        }
    }

    private func placeOfSilent(_ held: [HeldConnection], at now: Timestamp) -> Int? {
        guard let silence,
            let oldest = held.indices.min(by: { held[$0].heardAt < held[$1].heardAt }),
            now.milliseconds - held[oldest].heardAt > silence.wholeMilliseconds
        else { return nil }
        return oldest
    }
}

/// A connection that a user holds open.
final class HeldConnection: Sendable {
    fileprivate let user: String
    private let all: HeldConnections
    private let heardMilliseconds: Atomic<Int64>
    fileprivate let end: @Sendable () -> Void

    fileprivate init(_ user: String, _ all: HeldConnections, at now: Timestamp, end: @escaping @Sendable () -> Void) {
        self.user = user
        self.all = all
        heardMilliseconds = Atomic(now.milliseconds)
        self.end = end
    }

    fileprivate var heardAt: Int64 { heardMilliseconds.load(ordering: .relaxed) }

    /// Records that something came from the client.
    func heard(at now: Timestamp) { heardMilliseconds.store(now.milliseconds, ordering: .relaxed) }

    /// Gives the place back.
    func release() { all.release(self) }
}
