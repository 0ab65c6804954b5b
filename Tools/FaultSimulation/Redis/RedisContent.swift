/// Value of a key in a form that checks compare and print.
enum RedisContent: Equatable {
    struct Entry: Equatable {
        let id: String
        /// Names and values alternate.
        let fields: [String]
    }

    case text(String)
    case hash([String: String])
    /// The elements from the head to the tail.
    case list([String])
    case set(Set<String>)
    case sortedSet([String: Double])
    case stream([Entry])

    init(_ value: RedisValue) {
        switch value {
        case .text(let bytes): self = .text(Self.text(bytes))
        case .hash(let hash):
            self = .hash(
                Dictionary(uniqueKeysWithValues: hash.fields.map { (Self.text($0.key), Self.text($0.value)) }))
        case .list(let list): self = .list(list.elements.map(Self.text))
        case .set(let set): self = .set(Set(set.members.map(Self.text)))
        case .sortedSet(let set):
            self = .sortedSet(Dictionary(uniqueKeysWithValues: set.scores.map { (Self.text($0.key), $0.value) }))
        case .stream(let stream):
            self = .stream(stream.entries.map { Entry(id: $0.id.text, fields: $0.fields.map(Self.text)) })
        }
    }

    /// The same value without ids of stream entries, which depend on the time of writing.
    var withoutIDs: RedisContent {
        guard case .stream(let entries) = self else { return self }
        return .stream(entries.map { Entry(id: "", fields: $0.fields) })
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension RedisContent: CustomStringConvertible {
    /// The value on one line; hashes and sets are sorted.
    var description: String {
        switch self {
        case .text(let text): text
        case .hash(let fields):
            "{\(fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))}"
        case .list(let elements): "[\(elements.joined(separator: " "))]"
        case .set(let members): "{\(members.sorted().joined(separator: " "))}"
        case .sortedSet(let scores):
            "{\(scores.sorted { $0.key < $1.key }.map { "\($0.key)=\(RedisSortedSet.text(of: $0.value))" }.joined(separator: " "))}"
        case .stream(let entries):
            "[\(entries.map { "\($0.id)(\($0.fields.joined(separator: " ")))" }.joined(separator: " "))]"
        }
    }
}
