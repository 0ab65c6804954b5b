/// Value of a key.
enum RedisValue {
    case text([UInt8])
    case hash(RedisHash)
    case list(RedisList)
    case set(RedisSet)
    case sortedSet(RedisSortedSet)
    case stream(RedisStream)

    /// Name of the type in the reply to `TYPE`.
    var typeName: String {
        switch self {
        case .text: "string"
        case .hash: "hash"
        case .list: "list"
        case .set: "set"
        case .sortedSet: "zset"
        case .stream: "stream"
        }
    }
}

/// A value that commands change in place.
protocol RedisCollection {
    init()
    init?(_ value: RedisValue)
    var value: RedisValue { get }
    /// Whether Redis deletes a key with this value.
    var isRemovable: Bool { get }
}

struct RedisHash: RedisCollection {
    var fields: [[UInt8]: [UInt8]] = [:]

    init() {}

    init?(_ value: RedisValue) {
        guard case .hash(let hash) = value else { return nil }
        self = hash
    }

    var value: RedisValue { .hash(self) }
    var isRemovable: Bool { fields.isEmpty }
}

struct RedisList: RedisCollection {
    /// The elements from the head to the tail.
    var elements: [[UInt8]] = []

    init() {}

    init?(_ value: RedisValue) {
        guard case .list(let list) = value else { return nil }
        self = list
    }

    var value: RedisValue { .list(self) }
    var isRemovable: Bool { elements.isEmpty }

    /// Returns the elements of an index range, in which negative indices count from the tail.
    func range(from start: Int64, through end: Int64) -> ArraySlice<[UInt8]> {
        let count = Int64(elements.count)
        let first = max(0, start < 0 ? start + count : start)
        let last = min(count - 1, end < 0 ? end + count : end)
        return first <= last ? elements[Int(first)...Int(last)] : []
    }
}

struct RedisSet: RedisCollection {
    var members: Set<[UInt8]> = []

    init() {}

    init?(_ value: RedisValue) {
        guard case .set(let set) = value else { return nil }
        self = set
    }

    var value: RedisValue { .set(self) }
    var isRemovable: Bool { members.isEmpty }
}

struct RedisSortedSet: RedisCollection {
    var scores: [[UInt8]: Double] = [:]

    init() {}

    init?(_ value: RedisValue) {
        guard case .sortedSet(let set) = value else { return nil }
        self = set
    }

    var value: RedisValue { .sortedSet(self) }
    var isRemovable: Bool { scores.isEmpty }

    /// Members and scores, sorted by score and then by member.
    var ordered: [(member: [UInt8], score: Double)] {
        scores.map { ($0.key, $0.value) }.sorted {
            $0.1 != $1.1 ? $0.1 < $1.1 : $0.0.lexicographicallyPrecedes($1.0)
        }
    }

    /// Formats a score as Redis does.
    static func text(of score: Double) -> String {
        Int64(exactly: score).map(String.init) ?? "\(score)"
    }
}
