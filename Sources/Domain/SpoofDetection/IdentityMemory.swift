/// Ids of the last 20 fixes without a sequence, as 16-bit hashes, in the storage of the sequence numbers.
struct IdentityMemory: Sendable, Equatable, BitwiseCopyable {
    static let capacity = 20

    /// Four hashes per word, 0 if empty; the newest is in the lowest bits of the first word.
    fileprivate var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)

    static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Returns whether `hash`, which must not be 0, is stored.
    func contains(_ hash: UInt16) -> Bool {
        Self.isStored(words.0, hash) || Self.isStored(words.1, hash) || Self.isStored(words.2, hash)
            || Self.isStored(words.3, hash) || Self.isStored(words.4, hash)
    }

    /// Adds the newest id; beyond ``capacity``, drops the oldest id.
    mutating func add(_ hash: UInt16) {
        words.4 = words.4 << 16 | words.3 >> 48
        words.3 = words.3 << 16 | words.2 >> 48
        words.2 = words.2 << 16 | words.1 >> 48
        words.1 = words.1 << 16 | words.0 >> 48
        words.0 = words.0 << 16 | UInt64(hash)
    }

    private static func isStored(_ word: UInt64, _ hash: UInt16) -> Bool {
        UInt16(truncatingIfNeeded: word) == hash || UInt16(truncatingIfNeeded: word >> 16) == hash
            || UInt16(truncatingIfNeeded: word >> 32) == hash || UInt16(truncatingIfNeeded: word >> 48) == hash
    }
}

extension DriverState.Order {
    /// Ids, while fixes have no sequence; the first sequence overwrites them.
    var identities: IdentityMemory {
        get {
            var memory = IdentityMemory()
            let numbers = missing.words
            memory.words = (contents.low, contents.high, numbers.0, numbers.1, numbers.2)
            return memory
        }
        set {
            contents = ContentRing(low: newValue.words.0, high: newValue.words.1)
            missing = MissingSequences(words: (newValue.words.2, newValue.words.3, newValue.words.4))
        }
    }
}

extension MissingSequences {
    /// The bits of the four ranges, in which any bits can be stored.
    fileprivate var words: (UInt64, UInt64, UInt64) {
        let (first, second, third, fourth) = (self[0], self[1], self[2], self[3])
        let lengths = UInt64(first.more) | UInt64(second.more) << 16 | UInt64(third.more) << 32
        return (
            UInt64(first.first) | UInt64(second.first) << 32, UInt64(third.first) | UInt64(fourth.first) << 32,
            lengths | UInt64(fourth.more) << 48
        )
    }

    fileprivate init(words: (UInt64, UInt64, UInt64)) {
        self.init(isFull: words != (0, 0, 0))
        for index in 0..<4 {
            let first = (index < 2 ? words.0 : words.1) >> UInt64(32 * (index & 1))
            self[index] = Range(
                first: UInt32(truncatingIfNeeded: first),
                more: UInt16(truncatingIfNeeded: words.2 >> UInt64(16 * index)))
        }
    }
}
