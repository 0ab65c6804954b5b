/// The databases of a server: a function of the executed commands and their times.
struct RedisData {
    struct Entry {
        var value: RedisValue
        /// Unix time in milliseconds after which the key does not exist; `nil` without a lifetime.
        var expiresAt: Int64?
    }

    struct Key: Hashable {
        let database: Int
        let name: [UInt8]
    }

    private(set) var databases = [[[UInt8]: Entry]](repeating: [:], count: 16)
    /// Keys that were changed since the last ``removeChanges()``, which breaks their `WATCH`.
    private(set) var changes: [Key] = []
    /// Database of the next command.
    var database = 0
    /// Unix time of the next command, in microseconds.
    var microseconds: Int64 = 0

    var milliseconds: Int64 { microseconds / 1000 }

    mutating func removeChanges() { changes.removeAll(keepingCapacity: true) }

    /// Records a change of a key, even if the value is equal to the previous one.
    mutating func touch(_ key: [UInt8]) { changes.append(Key(database: database, name: key)) }

    /// Returns the value and lifetime of a key that has not expired.
    mutating func entry(_ key: [UInt8]) -> Entry? {
        guard let entry = databases[database][key] else { return nil }
        guard !isExpired(entry) else {
            remove(key)
            return nil
        }
        return entry
    }

    func isExpired(_ entry: Entry) -> Bool { entry.expiresAt.map { milliseconds > $0 } ?? false }

    mutating func read<Value: RedisCollection>(_ key: [UInt8], as type: Value.Type) throws(RedisFailure) -> Value? {
        guard let entry = entry(key) else { return nil }
        guard let value = Value(entry.value) else { throw .wrongType }
        return value
    }

    /// Changes the value of a key in place; creates the key if it is missing, and removes it if its value is empty.
    mutating func change<Value: RedisCollection, Result>(
        _ key: [UInt8], as type: Value.Type, _ body: (inout Value) -> Result
    ) throws(RedisFailure) -> Result {
        var value = try read(key, as: type) ?? Value()
        // Without another reference to its memory, the value is not copied.
        databases[database][key]?.value = .text([])
        let result = body(&value)
        if value.isRemovable {
            databases[database][key] = nil
        } else {
            databases[database][key, default: Entry(value: value.value)].value = value.value
        }
        return result
    }

    mutating func set(_ key: [UInt8], to text: [UInt8], expiresAt: Int64? = nil) {
        databases[database][key] = Entry(value: .text(text), expiresAt: expiresAt)
        touch(key)
    }

    mutating func setExpiry(_ key: [UInt8], to milliseconds: Int64) {
        databases[database][key]?.expiresAt = milliseconds
        touch(key)
    }

    /// Removes a key; returns whether it existed.
    @discardableResult
    mutating func remove(_ key: [UInt8]) -> Bool {
        guard databases[database].removeValue(forKey: key) != nil else { return false }
        touch(key)
        return true
    }

    mutating func removeAll() {
        for (number, keys) in databases.enumerated() {
            for name in keys.keys { changes.append(Key(database: number, name: name)) }
            databases[number] = [:]
        }
    }

    /// Removes keys that have expired, which also breaks their `WATCH`.
    mutating func expire(_ keys: some Sequence<Key>) {
        let previous = database
        for key in keys {
            database = key.database
            _ = entry(key.name)
        }
        database = previous
    }
}
