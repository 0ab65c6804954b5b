extension RedisOperation {
    static let keys = [
        removal("DEL", -2) { delete(&$0, $1) },
        removal("UNLINK", -2) { delete(&$0, $1) },
        read("EXISTS", -2) { data, arguments in
            .integer(arguments.dropFirst().reduce(0) { $0 + (data.entry($1) == nil ? 0 : 1) })
        },
        read("TYPE", 2) { data, arguments in .status(data.entry(arguments[1])?.value.typeName ?? "none") },
        removal("EXPIRE", -3) { data, arguments throws(RedisFailure) in
            try expire(&data, arguments, milliseconds: 1000)
        },
        removal("PEXPIRE", -3) { data, arguments throws(RedisFailure) in
            try expire(&data, arguments, milliseconds: 1)
        },
        read("PTTL", 2) { data, arguments in .integer(remaining(&data, arguments[1]) { $0 }) },
        read("TTL", 2) { data, arguments in .integer(remaining(&data, arguments[1]) { ($0 + 500) / 1000 }) },
        read("SCAN", -2) { data, arguments throws(RedisFailure) in try scan(&data, arguments) },
        removal("FLUSHALL", -1) { data, _ in
            data.removeAll()
            return .ok
        },
    ]

    static let strings = [
        read("GET", 2) { data, arguments throws(RedisFailure) in
            guard let entry = data.entry(arguments[1]) else { return .null }
            guard case .text(let text) = entry.value else { throw .wrongType }
            return .bytes(text)
        },
        read("MGET", -2) { data, arguments in
            .array(
                arguments.dropFirst().map { key in
                    guard case .text(let text)? = data.entry(key)?.value else { return .null }
                    return .bytes(text)
                })
        },
        write("SET", -3) { data, arguments throws(RedisFailure) in try set(&data, arguments) },
    ]

    private static func delete(_ data: inout RedisData, _ arguments: [[UInt8]]) -> RedisResponse {
        var count: Int64 = 0
        for key in arguments.dropFirst() where data.entry(key) != nil {
            data.remove(key)
            count += 1
        }
        return .integer(count)
    }

    private static func expire(
        _ data: inout RedisData, _ arguments: [[UInt8]], milliseconds unit: Int64
    ) throws(RedisFailure) -> RedisResponse {
        let count = try integer(arguments[2])
        guard arguments.count == 3 else { throw .unsupported }
        let (lifetime, isTooLong) = count.multipliedReportingOverflow(by: unit)
        let (end, isTooLate) = data.milliseconds.addingReportingOverflow(lifetime)
        guard !isTooLong, !isTooLate else {
            throw RedisFailure("ERR invalid expire time in '\(word(arguments[0]).lowercased())' command")
        }
        guard data.entry(arguments[1]) != nil else { return .integer(0) }
        if lifetime > 0 { data.setExpiry(arguments[1], to: end) } else { data.remove(arguments[1]) }
        return .integer(1)
    }

    /// Returns the remaining lifetime; -1 without a lifetime, -2 without the key.
    private static func remaining(_ data: inout RedisData, _ key: [UInt8], _ unit: (Int64) -> Int64) -> Int64 {
        guard let entry = data.entry(key) else { return -2 }
        return entry.expiresAt.map { unit(max(0, $0 - data.milliseconds)) } ?? -1
    }

    private static func set(_ data: inout RedisData, _ arguments: [[UInt8]]) throws(RedisFailure) -> RedisResponse {
        guard arguments.count > 3 else {
            data.set(arguments[1], to: arguments[2])
            return .ok
        }
        guard arguments.count == 5 else { throw .unsupported }
        let unit: Int64
        switch word(arguments[3]) {
        case "PX": unit = 1
        case "EX": unit = 1000
        default: throw .unsupported
        }
        let count = try integer(arguments[4])
        guard count > 0, count < 1 << 50 else { throw RedisFailure("ERR invalid expire time in 'set' command") }
        data.set(arguments[1], to: arguments[2], expiresAt: data.milliseconds + count * unit)
        return .ok
    }
}

// MARK: - Scans

extension RedisOperation {
    private static func scan(_ data: inout RedisData, _ arguments: [[UInt8]]) throws(RedisFailure) -> RedisResponse {
        guard let cursor = UInt64(String(decoding: arguments[1], as: UTF8.self)) else { throw .invalidCursor }
        let options = try scanOptions(arguments.dropFirst(2))
        let database = data.databases[data.database]
        let page = page(of: database.keys, from: cursor, count: options.count)
        let found = page.members.filter { key in
            options.pattern.map { GlobPattern.matches(key, $0) } ?? true && data.entry(key) != nil
        }
        return .array([.text("\(page.next)"), .values(found)])
    }

    /// Parses `MATCH` and `COUNT`.
    static func scanOptions(_ arguments: ArraySlice<[UInt8]>) throws(RedisFailure) -> (count: Int, pattern: [UInt8]?) {
        var result: (count: Int, pattern: [UInt8]?) = (10, nil)
        var rest = arguments
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw .syntax }
            switch word(option) {
            case "COUNT":
                let count = try integer(value)
                guard count > 0 else { throw .syntax }
                result.count = Int(count)
            case "MATCH": result.pattern = value
            default: throw word(option) == "TYPE" ? .unsupported : .syntax
            }
        }
        return result
    }

    /// Returns about `count` members from a cursor, and the next cursor, which is 0 at the end.
    ///
    /// A cursor is a hash of a member, so that changes between two pages neither skip nor repeat other members.
    static func page(
        of members: some Sequence<[UInt8]>, from cursor: UInt64, count: Int
    ) -> (next: UInt64, members: [[UInt8]]) {
        let rest = members.map { (hash: scanHash($0), member: $0) }.filter { $0.hash >= cursor }.sorted {
            $0.hash != $1.hash ? $0.hash < $1.hash : $0.member.lexicographicallyPrecedes($1.member)
        }
        guard rest.count > count else { return (0, rest.map(\.member)) }
        let next = rest[count].hash
        // Members with the same hash belong to one page.
        return (next, rest.prefix { $0.hash < next }.map(\.member))
    }

    /// Returns a hash that is not 0.
    private static func scanHash(_ member: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in member { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash >> 24 + 1
    }
}
