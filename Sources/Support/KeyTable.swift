/// Hash table that assigns dense indices to byte keys; a lookup does not allocate.
///
/// Open addressing over a power-of-two table; key bytes are stored in one buffer. Indices of removed keys are reused,
/// so that callers can keep values in arrays.
public struct KeyTable: ~Copyable {
    /// Location of a key in ``keyBytes``, in 12 bytes.
    private struct Entry {
        private static let unused = UInt32.max

        /// Low bits of the key's hash.
        let hash: UInt32
        private(set) var start: UInt32
        private(set) var count: UInt32

        init(_ key: ByteSlice, hash: UInt64, start: Int) {
            self.hash = UInt32(truncatingIfNeeded: hash)
            self.start = UInt32(start)
            count = UInt32(key.count)
        }

        var isUsed: Bool { count != Self.unused }
        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

        mutating func free() { count = Self.unused }
        mutating func move(to start: Int) { self.start = UInt32(start) }
    }

    /// Indices into ``entries``; -1 in empty slots.
    private var slots: [Int32]
    private var entries: [Entry] = []
    private var freeIndices: [Int32] = []
    private var keyBytes = ByteWriter(capacity: 1 << 12)
    private var keyBytesInUse = 0
    /// Number of keys.
    public private(set) var count = 0

    /// An empty table.
    public init() { slots = Array(repeating: -1, count: 64) }

    /// One more than the largest index assigned so far, including indices of removed keys.
    public var capacity: Int { entries.count }

    /// Returns the index of `key`; `nil` if absent.
    public func find(_ key: ByteSlice) -> Int? {
        let hash = key.stableHash
        var position = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while case let index = slots[position], index >= 0 {
            if matches(Int(index), hash, key) { return Int(index) }
            position = (position + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns the index of `key`, inserting it if absent.
    public mutating func insert(_ key: ByteSlice) -> (index: Int, isNew: Bool) {
        if let found = find(key) { return (found, false) }
        if (count + 1) * 2 > slots.count { rehash(to: slots.count * 2) }
        compactKeyBytesIfWasteful()
        let entry = Entry(key, hash: key.stableHash, start: keyBytes.count)
        keyBytes.append(key)
        keyBytesInUse += key.count
        let index: Int
        if let reused = freeIndices.popLast() {
            index = Int(reused)
            entries[index] = entry
        } else {
            index = entries.count
            entries.append(entry)
        }
        fillSlot(of: index)
        count += 1
        return (index, true)
    }

    /// Returns the key at `index`; valid until the next mutation.
    public func key(at index: Int) -> ByteSlice {
        let entry = entries[index]
        precondition(entry.isUsed, "There is no key at this index.")
        return keyBytes.slice(entry.range)
    }

    /// Returns whether there is a key at `index`.
    public func contains(index: Int) -> Bool { index < entries.count && entries[index].isUsed }

    /// Removes the key at `index`; the index may be reused.
    public mutating func remove(at index: Int) {
        precondition(entries[index].isUsed, "There is no key at this index.")
        removeSlot(of: index)
        keyBytesInUse -= Int(entries[index].count)
        entries[index].free()
        freeIndices.append(Int32(index))
        count -= 1
    }

    @inline(__always) private func matches(_ index: Int, _ hash: UInt64, _ key: ByteSlice) -> Bool {
        let entry = entries[index]
        return entry.hash == UInt32(truncatingIfNeeded: hash) && entry.range.count == key.count
            && keyBytes.slice(entry.range) == key
    }

    private mutating func fillSlot(of index: Int) {
        var position = Int(truncatingIfNeeded: entries[index].hash) & (slots.count - 1)
        while slots[position] >= 0 { position = (position + 1) & (slots.count - 1) }
        slots[position] = Int32(index)
    }

    private mutating func removeSlot(of index: Int) {
        let mask = slots.count - 1
        slots.removeProbed(Int32(index)) { [entries] in Int(truncatingIfNeeded: entries[Int($0)].hash) & mask }
    }

    private mutating func rehash(to size: Int) {
        slots = Array(repeating: -1, count: size)
        for index in entries.indices where entries[index].isUsed { fillSlot(of: index) }
    }

    /// Compacts the key bytes if removed keys use more than half of them.
    private mutating func compactKeyBytesIfWasteful() {
        guard keyBytes.count > 1 << 16, keyBytes.count > keyBytesInUse * 2 else { return }
        var packed = ByteWriter(capacity: keyBytesInUse * 2)
        for index in entries.indices where entries[index].isUsed {
            let entry = entries[index]
            entries[index].move(to: packed.count)
            packed.append(keyBytes.slice(entry.range))
        }
        keyBytes = packed
    }
}
