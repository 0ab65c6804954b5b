import Simulation

/// A fault of a simulation.
struct Fault: CustomStringConvertible {
    enum Kind: String, CaseIterable {
        /// Kills a worker; another one starts after the duration.
        case kill
        /// Stops a worker in order; another one starts after the duration.
        case terminate
        /// Suspends a worker.
        case suspend
        /// Starts a worker, and kills it after the duration.
        case join
        /// Breaks a worker's connections to the cluster.
        case cut
        /// Holds back everything between a worker and the cluster.
        case silence
        /// Breaks all connections to the cluster.
        case outage
        /// Holds back everything between the workers and the cluster.
        case silentOutage
        /// Stops the replication of a partition, so that nothing is acknowledged.
        case stall
        /// Makes the follower of a partition its leader.
        case changeLeader
        /// Refuses writes to a partition.
        case refuse
        /// Adds records that no worker can read.
        case poison
        /// Shifts a worker's wall clock.
        case shiftClock
        /// Removes replaced records of the compacted topics.
        case compact
        /// Breaks or holds back the connections to Redis.
        case cutRedis
        /// Restarts Redis with its data of some time before.
        case crashRedis
        /// Answers commands of Redis with an error.
        case refuseRedis
        /// Delays the commands of Redis.
        case pauseRedis
        /// Breaks or holds back the connections to Postgres.
        case cutPostgres
        /// Restarts Postgres, or replaces it by a standby, without the last transactions.
        case crashPostgres
        /// Ends the sessions of Postgres, refuses new ones, or fails inserts.
        case refusePostgres
        /// Locks a table of Postgres, or delays its statements.
        case lockPostgres
    }

    var kind: Kind
    /// Time of the fault in nanoseconds.
    var time: Int64
    /// Duration in nanoseconds.
    var duration: Int64
    /// Selects what the fault affects.
    var target: UInt64

    var description: String {
        "\(kind.rawValue) at \(Double(time / 1_000_000) / 1000) s for \(Double(duration / 1_000_000) / 1000) s (\(target))"
    }

    /// Draws a fault between two times.
    static func random(from start: Int64, to end: Int64, _ random: inout RandomSource) -> Fault {
        let kinds = Kind.allCases
        let kind = kinds[random.index(below: kinds.count)]
        let time = start + Int64(random.uniform() * Double(end - start))
        // Short, near the session timeout of 6 s, or well above it.
        let seconds = [random.uniform(in: 0...1), random.uniform(in: 0...5), random.uniform(in: 4...9), 12]
        return Fault(
            kind: kind, time: time, duration: Int64(seconds[random.index(below: 4)] * 1e9),
            target: random.next() >> 48)
    }
}
