/// Eight 16-bit values by index, without the alignment of a vector type.
struct ContentRing: Sendable, Equatable, BitwiseCopyable {
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0

    /// The value at `index`, which is 0 to 7.
    subscript(index: Int) -> UInt16 {
        @inline(__always) get { UInt16(truncatingIfNeeded: (index < 4 ? low : high) >> UInt64((index & 3) * 16)) }
        @inline(__always) set {
            let shift = UInt64((index & 3) * 16)
            let cleared = ~(UInt64(0xffff) << shift)
            if index < 4 {
                low = low & cleared | UInt64(newValue) << shift
            } else {
                high = high & cleared | UInt64(newValue) << shift
            }
        }
    }
}

/// Up to four ranges of skipped sequence numbers, oldest first, by their low 32 bits.
struct MissingSequences: Sendable, Equatable {
    struct Range: Sendable, Equatable, BitwiseCopyable {
        var first: UInt32 = 0
        /// Number of sequences after the first.
        var more: UInt16 = 0

        var last: UInt32 { first &+ UInt32(more) }
    }

    // First numbers and lengths are stored separately to avoid padding.
    private var first0: UInt32 = 0
    private var first1: UInt32 = 0
    private var first2: UInt32 = 0
    private var first3: UInt32 = 0
    private var more0: UInt16 = 0
    private var more1: UInt16 = 0
    private var more2: UInt16 = 0
    private var more3: UInt16 = 0
    private(set) var count: UInt8 = 0

    init() {}

    /// Creates four empty ranges, or none.
    init(isFull: Bool) { count = isFull ? 4 : 0 }

    subscript(index: Int) -> Range {
        get {
            switch index {
            case 0: Range(first: first0, more: more0)
            case 1: Range(first: first1, more: more1)
            case 2: Range(first: first2, more: more2)
            default: Range(first: first3, more: more3)
            }
        }
        set {
            switch index {
            case 0: (first0, more0) = (newValue.first, newValue.more)
            case 1: (first1, more1) = (newValue.first, newValue.more)
            case 2: (first2, more2) = (newValue.first, newValue.more)
            default: (first3, more3) = (newValue.first, newValue.more)
            }
        }
    }

    /// Adds the newest range, limited to its last 65,536 numbers; a fifth range drops the oldest range.
    mutating func add(from first: Int64, through last: Int64) {
        if count == 4 { removeRange(at: 0) }
        let more = UInt16(clamping: last &- first)
        self[Int(count)] = Range(first: UInt32(truncatingIfNeeded: last &- Int64(more)), more: more)
        count += 1
    }

    /// Removes `sequence` from the ranges; returns whether it was missing.
    mutating func remove(_ sequence: Int64) -> Bool {
        let low = UInt32(truncatingIfNeeded: sequence)
        for index in 0..<Int(count) {
            var range = self[index]
            // Compares by distance, so that the low bits may wrap within a range.
            guard low &- range.first <= UInt32(range.more) else { continue }
            if range.more == 0 {
                removeRange(at: index)
            } else if low == range.first {
                range.first = low &+ 1
                range.more -= 1
                self[index] = range
            } else if low == range.last {
                range.more -= 1
                self[index] = range
            } else {
                let upper = Range(first: low &+ 1, more: UInt16(range.last &- low &- 1))
                range.more = UInt16(low &- range.first &- 1)
                self[index] = range
                insert(upper, after: index)
            }
            return true
        }
        return false
    }

    private mutating func removeRange(at index: Int) {
        for position in index..<3 { self[position] = self[position + 1] }
        self[3] = Range()
        count -= 1
    }

    private mutating func insert(_ range: Range, after index: Int) {
        var position = index + 1
        if count == 4 {
            removeRange(at: 0)
            position -= 1
        }
        var slot = Int(count)
        while slot > position {
            self[slot] = self[slot - 1]
            slot -= 1
        }
        self[position] = range
        count += 1
    }
}

extension MissingSequences {
    @inline(__always) mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&count)
        // Damaged states may contain a larger count.
        count = min(count, 4)
        for index in 0..<Int(count) {
            var range = self[index]
            coder.code(&range.first)
            coder.code(&range.more)
            self[index] = range
        }
    }
}
