/// Eight 16-bit hashes by index, without the alignment that a vector type would force on a driver's state.
struct ContentRing: Sendable, Equatable, BitwiseCopyable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// `index` is from 0 to 7.
    subscript(index: Int) -> UInt16 {
        @inline(__always)
        get { UInt16(truncatingIfNeeded: (index < 4 ? low : high) >> UInt64((index & 3) * 16)) }
        @inline(__always)
        set {
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

/// Up to four ranges of sequence numbers that were skipped, oldest first, by the numbers' low 32 bits.
struct MissingSequences: Sendable, Equatable {
    struct Range: Sendable, Equatable, BitwiseCopyable {
        var first: UInt32 = 0
        var last: UInt32 = 0
    }

    private var range0 = Range()
    private var range1 = Range()
    private var range2 = Range()
    private var range3 = Range()
    private(set) var count: UInt8 = 0

    subscript(index: Int) -> Range {
        get {
            switch index {
            case 0: range0
            case 1: range1
            case 2: range2
            default: range3
            }
        }
        set {
            switch index {
            case 0: range0 = newValue
            case 1: range1 = newValue
            case 2: range2 = newValue
            default: range3 = newValue
            }
        }
    }

    /// Adds the newest range; with four held already, the oldest is forgotten.
    mutating func add(from first: Int64, through last: Int64) {
        if count == 4 { remove(0) }
        self[Int(count)] = Range(
            first: UInt32(truncatingIfNeeded: first), last: UInt32(truncatingIfNeeded: last))
        count += 1
    }

    /// Whether `sequence` was missing; if so it is not any more.
    mutating func take(_ sequence: Int64) -> Bool {
        let low = UInt32(truncatingIfNeeded: sequence)
        for index in 0..<Int(count) {
            var range = self[index]
            // Compared by distance, so that low bits may wrap around within a range.
            guard low &- range.first <= range.last &- range.first else { continue }
            if range.first == range.last {
                remove(index)
            } else if low == range.first {
                range.first = low &+ 1
                self[index] = range
            } else if low == range.last {
                range.last = low &- 1
                self[index] = range
            } else {
                let rest = Range(first: low &+ 1, last: range.last)
                range.last = low &- 1
                self[index] = range
                insert(rest, after: index)
            }
            return true
        }
        return false
    }

    private mutating func remove(_ index: Int) {
        for position in index..<3 { self[position] = self[position + 1] }
        self[3] = Range()
        count -= 1
    }

    private mutating func insert(_ range: Range, after index: Int) {
        var position = index + 1
        if count == 4 {
            remove(0)
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
    @inline(__always)
    mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&count)
        // What a damaged state may hold stays within bounds.
        count = min(count, 4)
        for index in 0..<Int(count) {
            var range = self[index]
            coder.code(&range)
            self[index] = range
        }
    }
}
