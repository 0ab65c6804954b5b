extension RedisOperation {
    static let hashes = [
        write("HSET", -4) { data, arguments throws(RedisFailure) in
            guard arguments.count % 2 == 0 else { throw .argumentCount(of: "HSET") }
            let added = try data.change(arguments[1], as: RedisHash.self) { hash in
                stride(from: 2, to: arguments.count, by: 2).reduce(0) { count, index in
                    hash.fields.updateValue(arguments[index + 1], forKey: arguments[index]) == nil ? count + 1 : count
                }
            }
            data.touch(arguments[1])
            return .integer(Int64(added))
        },
        removal("HDEL", -3) { data, arguments throws(RedisFailure) in
            try removeMembers(&data, arguments, from: RedisHash.self) { $0.fields.removeValue(forKey: $1) != nil }
        },
        read("HGET", 3) { data, arguments throws(RedisFailure) in
            try data.read(arguments[1], as: RedisHash.self)?.fields[arguments[2]].map { .bytes($0) } ?? .null
        },
        read("HMGET", -3) { data, arguments throws(RedisFailure) in
            let hash = try data.read(arguments[1], as: RedisHash.self)
            return .array(arguments.dropFirst(2).map { name in hash?.fields[name].map { .bytes($0) } ?? .null })
        },
        read("HGETALL", 2) { data, arguments throws(RedisFailure) in
            let fields = try data.read(arguments[1], as: RedisHash.self)?.fields ?? [:]
            return .values(sorted(fields.keys).flatMap { [$0, fields[$0] ?? []] })
        },
        read("HLEN", 2) { data, arguments throws(RedisFailure) in
            .integer(Int64(try data.read(arguments[1], as: RedisHash.self)?.fields.count ?? 0))
        },
    ]

    static let lists = [
        write("LPUSH", -3) { data, arguments throws(RedisFailure) in
            let count = try data.change(arguments[1], as: RedisList.self) { list in
                list.elements.insert(contentsOf: arguments.dropFirst(2).reversed(), at: 0)
                return list.elements.count
            }
            data.touch(arguments[1])
            return .integer(Int64(count))
        },
        write("RPUSH", -3) { data, arguments throws(RedisFailure) in
            let count = try data.change(arguments[1], as: RedisList.self) { list in
                list.elements += arguments.dropFirst(2)
                return list.elements.count
            }
            data.touch(arguments[1])
            return .integer(Int64(count))
        },
        removal("LTRIM", 4) { data, arguments throws(RedisFailure) in
            let (start, end) = (try integer(arguments[2]), try integer(arguments[3]))
            guard try data.read(arguments[1], as: RedisList.self) != nil else { return .ok }
            try data.change(arguments[1], as: RedisList.self) { list in
                list.elements = Array(list.range(from: start, through: end))
            }
            // A trim that removes nothing is also a change.
            data.touch(arguments[1])
            return .ok
        },
        read("LRANGE", 4) { data, arguments throws(RedisFailure) in
            let (start, end) = (try integer(arguments[2]), try integer(arguments[3]))
            return .values(
                Array(try data.read(arguments[1], as: RedisList.self)?.range(from: start, through: end) ?? []))
        },
        read("LLEN", 2) { data, arguments throws(RedisFailure) in
            .integer(Int64(try data.read(arguments[1], as: RedisList.self)?.elements.count ?? 0))
        },
    ]

    static let sets = [
        write("SADD", -3) { data, arguments throws(RedisFailure) in
            let added = try data.change(arguments[1], as: RedisSet.self) { set in
                arguments.dropFirst(2).count { set.members.insert($0).inserted }
            }
            if added > 0 { data.touch(arguments[1]) }
            return .integer(Int64(added))
        },
        removal("SREM", -3) { data, arguments throws(RedisFailure) in
            try removeMembers(&data, arguments, from: RedisSet.self) { $0.members.remove($1) != nil }
        },
        // Redis returns no particular order; sorted, because a run must depend only on its seed.
        read("SMEMBERS", 2) { data, arguments throws(RedisFailure) in
            .values(sorted(try data.read(arguments[1], as: RedisSet.self)?.members ?? []))
        },
        read("SCARD", 2) { data, arguments throws(RedisFailure) in
            .integer(Int64(try data.read(arguments[1], as: RedisSet.self)?.members.count ?? 0))
        },
    ]

    static let sortedSets = [
        write("ZADD", -4) { data, arguments throws(RedisFailure) in try addScores(&data, arguments) },
        removal("ZREM", -3) { data, arguments throws(RedisFailure) in
            try removeMembers(&data, arguments, from: RedisSortedSet.self) { $0.scores.removeValue(forKey: $1) != nil }
        },
        read("ZSCORE", 3) { data, arguments throws(RedisFailure) in
            let score = try data.read(arguments[1], as: RedisSortedSet.self)?.scores[arguments[2]]
            return score.map { .text(RedisSortedSet.text(of: $0)) } ?? .null
        },
        read("ZCARD", 2) { data, arguments throws(RedisFailure) in
            .integer(Int64(try data.read(arguments[1], as: RedisSortedSet.self)?.scores.count ?? 0))
        },
        read("ZSCAN", -3) { data, arguments throws(RedisFailure) in try scanScores(&data, arguments) },
    ]

    static func sorted(_ members: some Sequence<[UInt8]>) -> [[UInt8]] {
        members.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Removes fields or members of a key; returns the number of those that existed.
    private static func removeMembers<Value: RedisCollection>(
        _ data: inout RedisData, _ arguments: [[UInt8]], from type: Value.Type,
        _ remove: (inout Value, [UInt8]) -> Bool
    ) throws(RedisFailure) -> RedisResponse {
        guard try data.read(arguments[1], as: type) != nil else { return .integer(0) }
        let removed = try data.change(arguments[1], as: type) { value in
            arguments.dropFirst(2).count { remove(&value, $0) }
        }
        if removed > 0 { data.touch(arguments[1]) }
        return .integer(Int64(removed))
    }

    private static func addScores(
        _ data: inout RedisData, _ arguments: [[UInt8]]
    ) throws(RedisFailure) -> RedisResponse {
        if ["NX", "XX", "GT", "LT", "CH", "INCR"].contains(word(arguments[2])) { throw .unsupported }
        guard arguments.count % 2 == 0 else { throw .syntax }
        var scores: [(member: [UInt8], score: Double)] = []
        for index in stride(from: 2, to: arguments.count, by: 2) {
            let text = String(decoding: arguments[index], as: UTF8.self)
            guard let score = Double(text), !score.isNaN else { throw .notAFloat }
            scores.append((arguments[index + 1], score))
        }
        var (added, changed) = (0, 0)
        try data.change(arguments[1], as: RedisSortedSet.self) { set in
            for (member, score) in scores {
                let previous = set.scores.updateValue(score, forKey: member)
                if previous == nil { added += 1 } else if previous != score { changed += 1 }
            }
        }
        if added + changed > 0 { data.touch(arguments[1]) }
        return .integer(Int64(added))
    }

    private static func scanScores(
        _ data: inout RedisData, _ arguments: [[UInt8]]
    ) throws(RedisFailure) -> RedisResponse {
        guard let cursor = UInt64(String(decoding: arguments[2], as: UTF8.self)) else { throw .invalidCursor }
        guard let set = try data.read(arguments[1], as: RedisSortedSet.self) else {
            return .array([.text("0"), .array([])])
        }
        let options = try scanOptions(arguments.dropFirst(3))
        // Redis returns a small set at once, whatever the count.
        let page =
            set.scores.count <= 128
            ? (next: 0, members: set.ordered.map(\.member))
            : page(of: set.scores.keys, from: cursor, count: options.count)
        let found = page.members.filter { member in options.pattern.map { GlobPattern.matches(member, $0) } ?? true }
        let elements = found.flatMap { [$0, Array(RedisSortedSet.text(of: set.scores[$0] ?? 0).utf8)] }
        return .array([.text("\(page.next)"), .values(elements)])
    }
}
