import CoreMetrics
import Support
import Synchronization

/// Limit for the open sockets or pending requests of each user, across all event loops.
///
/// At the limit, a new connection replaces the connection whose client has been silent for the longest time, if that
/// time exceeds `idleTimeout`, because connections of vanished clients would lock out a returning user until a timeout.
final class ConnectionLimiter: Sendable {
    private let limit: Int
    /// `nil` if connections are never replaced.
    private let idleTimeout: Duration?
    private let users = Mutex<[String: [ConnectionSlot]]>([:])
    private let refusals: Counter

    /// Creates a limit; `limit` is the maximum per user, `nil` for none.
    init(limit: Int?, idleTimeout: Duration?) {
        self.limit = limit ?? .max
        self.idleTimeout = idleTimeout
        refusals = Counter(.gatewayLimited, [(.type, "connections")])
    }

    /// Counts a connection or request of a user until ``ConnectionSlot/release()``.
    ///
    /// `end` closes the connection when it is replaced; it may be called on any thread.
    /// - Returns: `nil` if the user has reached the limit.
    func acquire(_ user: String, at now: Timestamp, end: @escaping @Sendable () -> Void = {}) -> ConnectionSlot? {
        let new = ConnectionSlot(user, self, at: now, end: end)
        var replaced: ConnectionSlot?
        let isAcquired = users.withLock { users in
            var connections = users[user, default: []]
            if connections.count >= limit {
                guard let index = indexOfIdle(connections, at: now) else { return false }
                replaced = connections.remove(at: index)
            }
            connections.append(new)
            users[user] = connections
            return true
        }
        replaced?.end()
        if !isAcquired { refusals.increment() }
        return isAcquired ? new : nil
    }

    /// Returns whether another connection of the user must be refused; counts a refusal in the metrics.
    func refuses(_ user: String) -> Bool {
        let isFull = users.withLock { ($0[user]?.count ?? 0) >= limit }
        if isFull { refusals.increment() }
        return isFull
    }

    fileprivate func release(_ connection: ConnectionSlot) {
        users.withLock { users in
            guard let index = users[connection.user]?.firstIndex(where: { $0 === connection }) else { return }
            users[connection.user]?.remove(at: index)
            if users[connection.user]?.isEmpty == true { users[connection.user] = nil }
        }
    }

    private func indexOfIdle(_ connections: [ConnectionSlot], at now: Timestamp) -> Int? {
        let oldest = connections.indices.min { connections[$0].lastReceivedAt < connections[$1].lastReceivedAt }
        guard let idleTimeout, let oldest,
            now.milliseconds - connections[oldest].lastReceivedAt > idleTimeout.wholeMilliseconds
        else { return nil }
        return oldest
    }
}

/// An open connection or pending request of a user.
final class ConnectionSlot: Sendable {
    fileprivate let user: String
    private let limiter: ConnectionLimiter
    private let lastReceivedMilliseconds: Atomic<Int64>
    fileprivate let end: @Sendable () -> Void

    fileprivate init(
        _ user: String, _ limiter: ConnectionLimiter, at now: Timestamp, end: @escaping @Sendable () -> Void
    ) {
        self.user = user
        self.limiter = limiter
        lastReceivedMilliseconds = Atomic(now.milliseconds)
        self.end = end
    }

    fileprivate var lastReceivedAt: Int64 { lastReceivedMilliseconds.load(ordering: .relaxed) }

    func recordActivity(at now: Timestamp) { lastReceivedMilliseconds.store(now.milliseconds, ordering: .relaxed) }

    func release() { limiter.release(self) }
}

/// Connection limits of the users of rider-gateway.
struct UserLimits: Sendable {
    let sockets: ConnectionLimiter
    /// Long polls and event streams.
    let requests: ConnectionLimiter

    init(_ settings: ConnectionSettings) {
        sockets = ConnectionLimiter(limit: settings.userConnections, idleTimeout: settings.pingTimeout)
        requests = ConnectionLimiter(limit: settings.userConnections, idleTimeout: nil)
    }

    /// Returns the user of a token; `nil` without a subject, because many users may share such a token.
    static func userID(of claims: TokenClaims) -> String? {
        claims.subject.map { RequestAdmission.user($0, claims) }
    }
}
