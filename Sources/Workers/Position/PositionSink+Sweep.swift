import Redis
import Support

/// How far the sweep has come; a sweep continues at the place where the last one stopped.
struct SweepProgress {
    /// Areas still to be swept; the last one is being swept.
    var areas: [String] = []
    /// Redis' cursor into the last area's geo set; `0` at its beginning.
    var cursor = "0"
}

extension PositionSink {
    /// Members looked at in one round trip.
    private static let pageSize = 500

    /// Takes drivers out of the geo sets that are silent, expired, or elsewhere by now.
    ///
    /// Looks at a limited number of members and continues from there the next time.
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
                throw RedisError(.refused, "Redis answered ZSCAN with something else.")
            }
            // Members and scores take turns.
            let members = stride(from: 0, to: page[1].elements.count, by: 2).compactMap { page[1].elements[$0].text }
            try remove(members, from: area, silentSince: cutoff, over: connection)
            budget -= max(1, members.count)
            sweep.cursor = cursor
            if cursor == "0" {
                try forgetIfEmpty(area, over: connection)
                sweep.areas.removeLast()
            }
        }
    }

    /// Removes those of `members` that no longer belong into the area's set.
    private func remove(
        _ members: [String], from area: String, silentSince cutoff: Int64, over connection: RedisConnection
    ) throws {
        let suspects = try silent(members, in: area, since: cutoff, over: connection)
        guard !suspects.isEmpty else { return }
        // Looked at again under WATCH: a driver that reports at this very moment stays.
        commands.begin("WATCH", arguments: suspects.count)
        for driver in suspects { commands.add(key("driver:\(driver)")) }
        try connection.send(&commands)
        _ = try connection.receive()
        let confirmed = try silent(suspects, in: area, since: cutoff, over: connection)
        guard !confirmed.isEmpty else {
            try connection.call("UNWATCH")
            return
        }
        commands.begin("MULTI", arguments: 0)
        commands.begin("ZREM", arguments: 1 + confirmed.count)
        commands.add(key("drivers:geo:\(area)"))
        for driver in confirmed { commands.add(driver) }
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        // A conflict leaves all of them to the next round.
        _ = try connection.receiveTransaction(commands: 1)
    }

    /// Those of `members` that expired, moved to another area, or have not been heard of since `cutoff`.
    private func silent(
        _ members: [String], in area: String, since cutoff: Int64, over connection: RedisConnection
    ) throws -> [String] {
        guard !members.isEmpty else { return [] }
        for member in members {
            commands.begin("HMGET", arguments: 3)
            commands.add(key("driver:\(member)"))
            commands.add("area")
            commands.add("received_at")
        }
        try connection.send(&commands)
        var silent: [String] = []
        for member in members {
            let fields = try connection.receive().elements
            let isHere = fields.first?.text == area
            let lastHeard = fields.last?.integer ?? .min
            if !isHere || lastHeard < cutoff { silent.append(member) }
        }
        return silent
    }

    /// Takes an area without members out of the list of areas.
    private func forgetIfEmpty(_ area: String, over connection: RedisConnection) throws {
        let set = key("drivers:geo:\(area)")
        try connection.call("WATCH", set)
        guard try connection.call("EXISTS", set).integer == 0 else {
            try connection.call("UNWATCH")
            return
        }
        commands.begin("MULTI", arguments: 0)
        commands.begin("SREM", arguments: 2)
        commands.add(key("drivers:areas"))
        commands.add(area)
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        _ = try connection.receiveTransaction(commands: 1)
    }

    private func key(_ name: String) -> String { configuration.keyPrefix + name }
}
