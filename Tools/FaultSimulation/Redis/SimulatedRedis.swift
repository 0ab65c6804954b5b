/// A simulated Redis server, to which processes connect through hiredis.
///
/// Executes one command at a time, in the order of arrival. If the connection has broken since a request arrived, the
/// request is executed and only its reply is lost.
final class SimulatedRedis {
    unowned let world: World
    /// Password of the default user; `nil` for none.
    var password: String?
    private var data = RedisData()
    /// Changes that ``crash(losing:downtime:)`` can lose.
    private var history = RedisHistory(length: .seconds(60))
    private var links: [String: Link] = [:]
    private var sessions: [RedisSession] = []
    private var watchers: [RedisData.Key: [RedisSession]] = [:]
    /// Virtual time at which the server has executed everything that has arrived.
    private var idleTime: Int64 = 0
    /// Number of crashes; requests that arrived before a crash are lost.
    private var crashCount = 0
    /// Virtual time before which connections are refused.
    private var startTime: Int64 = 0
    private var currentRefusal: (refusal: RedisRefusal, end: Int64)?

    /// Number of executed transactions (`EXEC`).
    private(set) var transactionCount = 0
    /// Number of transactions that were not executed, because a watched key had changed.
    private(set) var conflictCount = 0

    init(_ world: World) { self.world = world }

    /// Returns the network between a process, and later ones with its name, and the server.
    func link(of process: SimulatedProcess) -> Link {
        if let known = links[process.name] { return known }
        let link = Link()
        links[process.name] = link
        return link
    }

    /// The state in which the server rejects commands; `nil` if it executes all.
    var refusal: RedisRefusal? { currentRefusal.flatMap { world.now < $0.end ? $0.refusal : nil } }
}

// MARK: - Faults

extension SimulatedRedis {
    /// Restarts the server: all connections break, and the latest changes are lost.
    ///
    /// - Parameters:
    ///   - nanoseconds: age of the oldest change that is lost, up to 60 s; `nil` for all data.
    ///   - downtime: nanoseconds during which new connections are refused.
    func crash(losing nanoseconds: Int64?, downtime: Int64 = 0) {
        let loss = nanoseconds.map { "the changes of \($0 / 1_000_000) ms" } ?? "all data"
        world.trace.add("Redis crashes and loses \(loss)")
        crashCount += 1
        startTime = world.now + downtime
        idleTime = startTime
        for session in sessions { disconnect(session) }
        if let nanoseconds {
            data = history.rollBack(to: world.now - nanoseconds)
        } else {
            history.removeAll()
            data = RedisData()
        }
    }

    /// Rejects commands for some time, in nanoseconds.
    func refuse(_ refusal: RedisRefusal, for nanoseconds: Int64) {
        world.trace.add("Redis refuses commands: \(refusal)")
        currentRefusal = (refusal, world.now + nanoseconds)
    }

    /// Executes nothing for some time, in nanoseconds; requests wait, even if their clients time out.
    func pause(for nanoseconds: Int64) {
        world.trace.add("Redis pauses for \(nanoseconds / 1_000_000) ms")
        idleTime = max(idleTime, world.now) + nanoseconds
    }
}

// MARK: - Connections

extension SimulatedRedis {
    /// Opens the session of a connection whose request to connect has arrived; returns whether it was accepted.
    func accept(_ session: RedisSession) -> Bool {
        guard world.now >= startTime else {
            session.end()
            session.connection.reset()
            return false
        }
        sessions.append(session)
        session.connection.onEnd = { [self] in
            // After the requests that arrived before.
            world.schedule(after: idleTime - world.now) { [self] in end(session) }
        }
        return true
    }

    /// Executes bytes that have arrived, after those that arrived before.
    func arrive(_ bytes: [UInt8], at session: RedisSession) {
        guard !session.hasEnded else { return }
        let number = crashCount
        let duration = 5_000 + Int64(bytes.count) * 20 + Int64(world.random.exponential(mean: 20_000))
        idleTime = max(idleTime, world.now) + duration
        world.schedule(after: idleTime - world.now) { [self] in
            guard number == crashCount, !session.hasEnded else { return }
            world.trace.mix(bytes: bytes)
            session.receive(bytes)
        }
    }

    /// Breaks a connection from the side of the server.
    func disconnect(_ session: RedisSession) {
        end(session)
        session.connection.reset()
    }

    private func end(_ session: RedisSession) {
        guard !session.hasEnded else { return }
        session.end()
        session.connection.onEnd = nil
        sessions.removeAll { $0 === session }
    }
}

// MARK: - Execution

extension SimulatedRedis {
    /// Executes commands without others in between; returns their replies.
    func execute(
        _ commands: [(operation: RedisOperation, arguments: [[UInt8]])], for session: RedisSession
    ) -> [RedisResponse] {
        data.setTime(world.now)
        data.database = session.database
        var writes: [RedisHistory.Command] = []
        var replies: [RedisResponse] = []
        for (operation, arguments) in commands {
            if operation.isWrite { writes.append(.init(database: data.database, arguments: arguments)) }
            guard let execute = operation.execute else {
                replies.append(session.executeForConnection(operation, arguments))
                continue
            }
            do {
                replies.append(try execute(&data, arguments))
            } catch {
                if error.text == RedisFailure.unsupported.text {
                    world.trace.add("Redis does not support an option of \(operation.name)")
                }
                replies.append(.error(error.text))
            }
        }
        session.database = data.database
        if !writes.isEmpty { history.append(writes, at: world.now) }
        notifyWatchers()
        return replies
    }

    func watch(_ key: RedisData.Key, for session: RedisSession) { watchers[key, default: []].append(session) }

    func unwatch(_ keys: Set<RedisData.Key>, for session: RedisSession) {
        for key in keys {
            watchers[key]?.removeAll { $0 === session }
            if watchers[key]?.isEmpty == true { watchers[key] = nil }
        }
    }

    /// Removes keys that have expired.
    func expire(_ keys: some Sequence<RedisData.Key>) {
        data.setTime(world.now)
        data.expire(keys)
        notifyWatchers()
    }

    func count(isConflict: Bool) {
        if isConflict { conflictCount += 1 } else { transactionCount += 1 }
    }

    private func notifyWatchers() {
        for key in data.changes {
            for session in watchers[key] ?? [] { session.isConflicting = true }
        }
        data.removeChanges()
    }
}

// MARK: - Checks

extension SimulatedRedis {
    /// Returns the existing keys that begin with `prefix`, without the prefix, and their values.
    func contents(prefix: String = "", database: Int = 0) -> [String: RedisContent] {
        data.setTime(world.now)
        let bytes = Array(prefix.utf8)
        var contents: [String: RedisContent] = [:]
        for (key, entry) in data.databases[database] where key.starts(with: bytes) && !data.isExpired(entry) {
            contents[String(decoding: key.dropFirst(bytes.count), as: UTF8.self)] = RedisContent(entry.value)
        }
        return contents
    }

    /// Returns the remaining lifetimes of the keys that have one, in milliseconds.
    func lifetimes(prefix: String = "", database: Int = 0) -> [String: Int64] {
        data.setTime(world.now)
        let bytes = Array(prefix.utf8)
        var lifetimes: [String: Int64] = [:]
        for (key, entry) in data.databases[database] where key.starts(with: bytes) && !data.isExpired(entry) {
            guard let end = entry.expiresAt else { continue }
            lifetimes[String(decoding: key.dropFirst(bytes.count), as: UTF8.self)] = end - data.milliseconds
        }
        return lifetimes
    }
}
