import Redis
import Support

/// Progress of the sweep, from which the next call continues.
struct SweepProgress {
    /// Remaining areas; the last one is in progress.
    var areas: [String] = []
    /// `ZSCAN` cursor into the last area's geo set; `0` at its beginning.
    var cursor = "0"
}

extension PositionSink {
    private static let pageSize = 500

    /// Removes from the geo sets the drivers who are silent, expired or in another area.
    ///
    /// Examines about `sweepLimit` members; the next call continues with the following members.
    func sweepSilentDrivers(now: Timestamp, over connection: RedisConnection) throws {
        commands.removeAll()
        if sweep.areas.isEmpty {
            sweep.areas = try connection.call("SMEMBERS", key("drivers:areas")).elements.compactMap(\.text).sorted()
            sweep.cursor = "0"
        }
        let cutoff = now.milliseconds - configuration.silentAfter.wholeMilliseconds
        var budget = configuration.sweepLimit
        while budget > 0, let area = sweep.areas.last {
            let page = try connection.call(
                "ZSCAN", key("drivers:geo:\(area)"), sweep.cursor, "COUNT", String(min(budget, Self.pageSize))
            ).elements
            guard page.count == 2, let cursor = page[0].text else {
                throw RedisError(.refused, "Redis sent an unexpected reply to ZSCAN.")
            }
            // Members and scores alternate.
            let members = stride(from: 0, to: page[1].elements.count, by: 2).compactMap { page[1].elements[$0].text }
            try remove(members, from: area, silentSince: cutoff, over: connection)
            budget -= max(1, members.count)
            sweep.cursor = cursor
            if cursor == "0" {
                try removeIfEmpty(area, over: connection)
                sweep.areas.removeLast()
            }
        }
    }

    /// Removes the members that no longer belong to the area's set.
    private func remove(
        _ members: [String], from area: String, silentSince cutoff: Int64, over connection: RedisConnection
    ) throws {
        let candidates = try removable(members, in: area, since: cutoff, over: connection)
        guard !candidates.isEmpty else { return }
        // Checked again under WATCH, so that a driver who reports meanwhile is not removed.
        commands.add(command: "WATCH", candidates.map { key("driver:\($0)") })
        try connection.send(&commands)
        _ = try connection.receive()
        let confirmed = try removable(candidates, in: area, since: cutoff, over: connection)
        guard !confirmed.isEmpty else {
            try connection.call("UNWATCH")
            return
        }
        try remove(confirmed, from: key("drivers:geo:\(area)"), "ZREM", over: connection)
    }

    /// Removes members of a set in a transaction; after a conflict the next sweep removes them.
    private func remove(
        _ members: [String], from set: String, _ command: StaticString, over connection: RedisConnection
    ) throws {
        commands.add(command: "MULTI")
        commands.add(command: command, [set] + members)
        commands.add(command: "EXEC")
        try connection.send(&commands)
        _ = try connection.receiveTransaction(commands: 1)
    }

    /// Returns the members that expired, moved to another area or have sent nothing since `cutoff`.
    private func removable(
        _ members: [String], in area: String, since cutoff: Int64, over connection: RedisConnection
    ) throws -> [String] {
        guard !members.isEmpty else { return [] }
        for member in members {
            commands.add(command: "HMGET", [key("driver:\(member)"), "area", "received_at"])
        }
        try connection.send(&commands)
        var removable: [String] = []
        for member in members {
            let fields = try connection.receive().elements
            let receivedAt = fields.last?.integer ?? .min
            if fields.first?.text != area || receivedAt < cutoff { removable.append(member) }
        }
        return removable
    }

    /// Removes an area from the list of areas if its set is empty.
    private func removeIfEmpty(_ area: String, over connection: RedisConnection) throws {
        let set = key("drivers:geo:\(area)")
        try connection.call("WATCH", set)
        guard try connection.call("EXISTS", set).integer == 0 else {
            try connection.call("UNWATCH")
            return
        }
        try remove([area], from: key("drivers:areas"), "SREM", over: connection)
    }

    private func key(_ name: String) -> String { configuration.keyPrefix + name }
}
