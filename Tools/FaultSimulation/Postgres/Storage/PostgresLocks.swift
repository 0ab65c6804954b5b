/// Lock of a table, of a row of `sink_progress`, or an advisory lock of a name.
struct PostgresLock: Hashable {
    let relation: String
    var row: ProgressKey?
}

/// Mode of a lock; rows have only ``update``.
enum PostgresLockMode {
    case accessShare
    case rowShare
    case rowExclusive
    case accessExclusive
    case update

    func conflicts(with other: PostgresLockMode) -> Bool {
        self == .accessExclusive || other == .accessExclusive || (self == .update && other == .update)
    }
}

/// Lock that a statement requires and another transaction has.
struct PostgresLockWait: Error {
    let lock: PostgresLock
    let mode: PostgresLockMode
    /// Whether to wait only until no other transaction has the lock.
    var isMomentary = false
    /// Limit in nanoseconds instead of the session's `lock_timeout`.
    var limit: Int64?
    /// Whether the statement continues without the lock after the limit.
    var mayBeSkipped = false
}

/// Granted locks, and requests in the order of their arrival.
final class PostgresLocks {
    private struct Grant {
        let owner: PostgresTransaction
        let mode: PostgresLockMode
    }

    private struct Request {
        let wait: PostgresLockWait
        let owner: PostgresTransaction
        let onGrant: () -> Void
    }

    private var granted: [PostgresLock: [Grant]] = [:]
    private var requests: [Request] = []

    /// Grants the lock, unless another transaction has it or requested it before.
    /// - Returns: whether `owner` has the lock.
    func acquire(_ lock: PostgresLock, _ mode: PostgresLockMode, for owner: PostgresTransaction) -> Bool {
        if owns(lock, mode, owner) { return true }
        guard isFree(lock, mode, for: owner, before: requests[...]) else { return false }
        grant(lock, mode, to: owner)
        return true
    }

    func owns(_ lock: PostgresLock, _ mode: PostgresLockMode, _ owner: PostgresTransaction) -> Bool {
        granted[lock]?.contains { $0.owner === owner && $0.mode == mode } ?? false
    }

    /// Returns whether another transaction has a row's lock.
    func isOwned(_ lock: PostgresLock, byOtherThan owner: PostgresTransaction) -> Bool {
        granted[lock]?.contains { $0.owner !== owner } ?? false
    }

    /// Calls `onGrant` when the lock is granted, unless the request is cancelled before.
    func wait(_ wait: PostgresLockWait, for owner: PostgresTransaction, _ onGrant: @escaping () -> Void) {
        requests.append(Request(wait: wait, owner: owner, onGrant: onGrant))
        grantRequests()
    }

    func isWaiting(_ owner: PostgresTransaction) -> Bool { requests.contains { $0.owner === owner } }

    func cancelRequest(of owner: PostgresTransaction) {
        requests.removeAll { $0.owner === owner }
        grantRequests()
    }

    /// Releases all locks of a transaction.
    func releaseAll(of owner: PostgresTransaction) {
        for lock in owner.locks {
            granted[lock]?.removeAll { $0.owner === owner }
            if granted[lock]?.isEmpty == true { granted[lock] = nil }
        }
        owner.locks = []
        grantRequests()
    }

    /// Discards the locks and requests that remain after a crash.
    func removeAll() { (granted, requests) = ([:], []) }

    /// Returns whether a waiting transaction waits for itself through others.
    func isDeadlocked(_ owner: PostgresTransaction) -> Bool {
        var reached: [PostgresTransaction] = []
        var next = blockers(of: owner)
        while let transaction = next.popLast() {
            if transaction === owner { return true }
            if reached.contains(where: { $0 === transaction }) { continue }
            reached.append(transaction)
            next += blockers(of: transaction)
        }
        return false
    }

    private func blockers(of owner: PostgresTransaction) -> [PostgresTransaction] {
        guard let index = requests.firstIndex(where: { $0.owner === owner }) else { return [] }
        let wait = requests[index].wait
        let owners = granted[wait.lock, default: []].filter { $0.mode.conflicts(with: wait.mode) }.map(\.owner)
        let earlier = requests[..<index].filter {
            $0.wait.lock == wait.lock && $0.wait.mode.conflicts(with: wait.mode)
        }
        return (owners + earlier.map(\.owner)).filter { $0 !== owner }
    }

    private func isFree(
        _ lock: PostgresLock, _ mode: PostgresLockMode, for owner: PostgresTransaction, before: ArraySlice<Request>
    ) -> Bool {
        let grants = granted[lock, default: []]
        if grants.contains(where: { $0.owner !== owner && $0.mode.conflicts(with: mode) }) { return false }
        // As in Postgres, a transaction that already has a lock of the table does not queue behind others.
        if grants.contains(where: { $0.owner === owner }) { return true }
        return !before.contains {
            $0.owner !== owner && $0.wait.lock == lock && $0.wait.mode.conflicts(with: mode)
        }
    }

    private func grant(_ lock: PostgresLock, _ mode: PostgresLockMode, to owner: PostgresTransaction) {
        granted[lock, default: []].append(Grant(owner: owner, mode: mode))
        if !owner.locks.contains(lock) { owner.locks.append(lock) }
    }

    private func grantRequests() {
        var index = 0
        while index < requests.count {
            let request = requests[index]
            let wait = request.wait
            guard isFree(wait.lock, wait.mode, for: request.owner, before: requests[..<index]) else {
                index += 1
                continue
            }
            requests.remove(at: index)
            if !wait.isMomentary { grant(wait.lock, wait.mode, to: request.owner) }
            request.onGrant()
        }
    }
}
