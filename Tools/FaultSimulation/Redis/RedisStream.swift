/// A stream: entries with increasing ids.
struct RedisStream: RedisCollection {
    struct ID: Comparable {
        var milliseconds: UInt64
        var sequence: UInt64

        static let zero = ID(milliseconds: 0, sequence: 0)
        static let maximum = ID(milliseconds: .max, sequence: .max)

        static func < (left: ID, right: ID) -> Bool {
            (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
        }

        var text: String { "\(milliseconds)-\(sequence)" }
    }

    struct Entry {
        let id: ID
        /// Names and values alternate.
        let fields: [[UInt8]]
        /// Number of the node that contains the entry.
        let node: Int
    }

    /// Limits of a node, in entries and bytes; approximate trimming removes whole nodes.
    private static let nodeEntries = 100
    private static let nodeBytes = 4096

    private(set) var entries: [Entry] = []
    private(set) var lastID = ID.zero
    private var lastNode = 0
    private var lastNodeEntries = 0
    private var lastNodeBytes = 0

    init() {}

    init?(_ value: RedisValue) {
        guard case .stream(let stream) = value else { return nil }
        self = stream
    }

    var value: RedisValue { .stream(self) }
    /// Redis keeps a stream without entries, because its last id counts.
    var isRemovable: Bool { false }

    /// Returns the id of the next entry that is added at a Unix time.
    func nextID(at milliseconds: Int64) -> ID {
        let now = UInt64(clamping: milliseconds)
        guard now <= lastID.milliseconds else { return ID(milliseconds: now, sequence: 0) }
        return ID(milliseconds: lastID.milliseconds, sequence: lastID.sequence + 1)
    }

    /// Appends an entry, whose id must be greater than ``lastID``.
    mutating func append(_ fields: [[UInt8]], id: ID) {
        let size = fields.reduce(8) { $0 + $1.count + 2 }
        if lastNodeEntries >= Self.nodeEntries || lastNodeBytes + size >= Self.nodeBytes {
            lastNode += 1
            lastNodeEntries = 0
            lastNodeBytes = 0
        }
        lastNodeEntries += 1
        lastNodeBytes += size
        entries.append(Entry(id: id, fields: fields, node: lastNode))
        lastID = id
    }

    /// Removes the oldest entries, so that `count` remain; in whole nodes only if approximate.
    mutating func trim(to count: Int, isApproximate: Bool) {
        guard isApproximate else {
            entries.removeFirst(max(0, entries.count - count))
            return
        }
        while entries.count > count, let first = entries.first {
            let end = entries.firstIndex { $0.node != first.node } ?? entries.count
            guard entries.count - end >= count else { return }
            entries.removeFirst(end)
        }
    }

    /// Removes an entry; returns whether it existed.
    mutating func remove(_ id: ID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id >= id }), entries[index].id == id else { return false }
        entries.remove(at: index)
        return true
    }

    func entries(from first: ID, through last: ID) -> ArraySlice<Entry> {
        guard first <= last, let start = entries.firstIndex(where: { $0.id >= first }) else { return [] }
        let end = entries[start...].firstIndex { $0.id > last } ?? entries.count
        return entries[start..<end]
    }
}

extension RedisStream.ID {
    /// Parses `milliseconds-sequence`; `sequence` replaces one that is missing.
    init?(_ bytes: some Sequence<UInt8>, sequence missing: UInt64) {
        let parts = String(decoding: Array(bytes), as: UTF8.self).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let milliseconds = UInt64(parts[0]) else { return nil }
        guard parts.count == 2 else {
            self.init(milliseconds: milliseconds, sequence: missing)
            return
        }
        guard let sequence = UInt64(parts[1]) else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }
}
