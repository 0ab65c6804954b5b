/// Faults of the server. Faults of the network are those of ``link(of:)``.
extension SimulatedPostgres {
    /// Stops the server and starts it again.
    ///
    /// All sessions end and open transactions are rolled back. Transactions that were committed within the last `losing`
    /// nanoseconds are lost, as long as no synchronous commit follows them; Postgres limits this time to three times
    /// `wal_writer_delay`, 600 ms. The server is not reachable for `duration` nanoseconds.
    func crash(losing: Int64, for duration: Int64 = .seconds(2)) {
        restart("crashes", losing: losing, keepsSynchronous: true)
        let number = changeNumber
        schedule(after: duration / 2, number) { [self] in availability = .starting }
        schedule(after: duration, number) { [self] in
            availability = .up
            trace("accepts connections again")
        }
    }

    /// Replaces the server by its asynchronous standby.
    ///
    /// As ``crash(losing:for:)``, but synchronous commits can be lost as well, and the standby accepts connections before
    /// it accepts writes.
    func failOver(losing: Int64, for duration: Int64 = .seconds(4)) {
        restart("fails over", losing: losing, keepsSynchronous: false)
        let number = changeNumber
        schedule(after: duration / 2, number) { [self] in
            availability = .up
            isReadOnly = true
            trace("is a standby")
        }
        schedule(after: duration, number) { [self] in
            isReadOnly = false
            trace("is promoted")
        }
    }

    private func restart(_ event: String, losing: Int64, keepsSynchronous: Bool) {
        for session in sessions { session.vanish() }
        locks.removeAll()
        let count = store.loseCommits(after: world.now - losing, keepsSynchronous: keepsSynchronous)
        trace("\(event) and loses \(count) commits")
        changeNumber += 1
        availability = .down
        (isReadOnly, stalledUntil) = (false, 0)
    }

    /// Ends all sessions, as an administrator does with `pg_terminate_backend()`.
    func terminateSessions() {
        trace("an administrator terminates all sessions")
        for session in sessions {
            session.terminate(PostgresFailure("57P01", "terminating connection due to administrator command"))
        }
    }

    /// Rejects new connections, because all are in use.
    func refuseConnections(for duration: Int64) {
        guard availability == .up else { return }
        trace("has no free connections")
        availability = .full
        schedule(after: duration, changeNumber) { [self] in availability = .up }
    }

    /// Makes each `COPY` fail, because the disk is full.
    func refuseInserts(for duration: Int64) {
        trace("has a full disk")
        isDiskFull = true
        world.schedule(after: duration) { [self] in
            isDiskFull = false
            trace("has free disk space again")
        }
    }

    /// Executes no statement for a time; those that arrive meanwhile are executed afterwards.
    func stall(for duration: Int64) {
        trace("stalls")
        stalledUntil = max(stalledUntil, world.now + duration)
    }

    /// Locks a table exclusively in a foreign session, for `duration` nanoseconds from the grant of the lock.
    ///
    /// `table` is `sink_progress`, a history table, or the default partition of one, such as `eta_history_default`.
    func lock(_ table: String, for duration: Int64) {
        let owner = PostgresTransaction(now: wallMicroseconds, isExplicit: true)
        let wait = PostgresLockWait(lock: PostgresLock(relation: table), mode: .accessExclusive)
        locks.wait(wait, for: owner) { [self] in
            trace("a foreign session locks \(table)")
            world.schedule(after: duration) { [self] in
                trace("the foreign session releases \(table)")
                locks.releaseAll(of: owner)
            }
        }
    }

    /// Executes `action` later, unless another change of the availability happens before.
    private func schedule(after delay: Int64, _ number: Int, _ action: @escaping () -> Void) {
        world.schedule(after: delay) { [self] in
            if number == changeNumber { action() }
        }
    }
}
