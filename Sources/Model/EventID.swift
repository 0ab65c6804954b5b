import Support

/// The clock of a derived record: which source record it was made from, and which of that record's outputs it is.
///
/// Written `partition-offset`, with a part only where one source record yields several records:
///
/// | text | meaning |
/// |---|---|
/// | `3-184467` | made from offset 184467 of partition 3 of the raw topic |
/// | `3-184467.7` | from the eighth fix of the batch upload at that offset |
/// | `3-184467+2` | from the second punctuation since that offset |
/// | `3-184467/1` | the second message made from that event |
/// | `t3-512` | made from offset 512 of partition 3 of the trips topic |
///
/// Within an origin and a partition the order of ids is the order of events, so a stage drops whatever does not
/// advance the last id it has seen. Ids of different origins are not comparable; see ``Watermark``.
package struct EventID: Hashable, Sendable {
    /// The topic that the source offset counts in.
    package enum Origin: UInt8, Sendable {
        /// The raw locations topic.
        case raw = 0
        /// The trips topic.
        case trips = 1
    }

    package var origin: Origin
    package var partition: Int32
    package var offset: Int64
    /// Fix, punctuation and message, packed so that numeric order is event order; see ``fix``, ``punctuation`` and
    /// ``message``.
    package private(set) var part: UInt64

    private static let messageBits: UInt64 = 8
    private static let punctuationBits: UInt64 = 40
    private static let messageMask: UInt64 = (1 << messageBits) - 1
    private static let punctuationMask: UInt64 = (1 << punctuationBits) - 1

    package init(origin: Origin = .raw, partition: Int32, offset: Int64) {
        self.origin = origin
        self.partition = partition
        self.offset = offset
        part = 0
    }

    /// Rebuilds an id from its stored numbers.
    package init(origin: Origin, partition: Int32, offset: Int64, part: UInt64) {
        self.origin = origin
        self.partition = partition
        self.offset = offset
        self.part = part
    }

    /// The index of a fix inside a batch upload; `nil` when the record is a single fix.
    package var fix: Int? {
        let stored = part >> (Self.punctuationBits + Self.messageBits)
        return stored == 0 ? nil : Int(stored) - 1
    }

    /// How many punctuations after the source record this event is; 0 when it was made by the record itself.
    package var punctuation: UInt64 { (part >> Self.messageBits) & Self.punctuationMask }

    /// The number of this message among those of the same event, from 0 to 255.
    package var message: Int { Int(part & Self.messageMask) }

    /// Whether there can be such an event; ids read from bytes are checked, those made here are right.
    var isPossible: Bool {
        partition >= 0 && offset >= 0 && part >> (Self.punctuationBits + Self.messageBits) <= 0xFFFE
    }

    /// The id of the `index`-th fix (from 0) of the batch upload that this id names.
    package func withFix(_ index: Int) -> EventID {
        precondition(index >= 0 && index < 0xFFFE, "A fix has a number beyond 65,533.")
        var copy = self
        copy.part = UInt64(index + 1) << (Self.punctuationBits + Self.messageBits)
        return copy
    }

    /// The id of the `number`-th punctuation (from 1) after this event; replaces punctuation and message.
    package func withPunctuation(_ number: UInt64) -> EventID {
        precondition(
            number <= Self.punctuationMask, "A punctuation has a number beyond 2^40 - 1.")
        var copy = self
        copy.part &= ~(Self.punctuationMask << Self.messageBits | Self.messageMask)
        copy.part |= number << Self.messageBits
        return copy
    }

    /// The id of the punctuation after this event; `nil` when there are no more numbers, which takes centuries or a
    /// forger.
    package var nextPunctuation: EventID? {
        punctuation < Self.punctuationMask ? withPunctuation(punctuation + 1) : nil
    }

    /// The id of the `number`-th message (from 0) of this event.
    package func withMessage(_ number: Int) -> EventID {
        precondition(number >= 0 && number <= Int(Self.messageMask), "A message has a number beyond 255.")
        var copy = self
        copy.part = (copy.part & ~Self.messageMask) | UInt64(number)
        return copy
    }

    /// Whether both are of one origin and partition, so that their order is known.
    package func isSameSource(as other: EventID) -> Bool { partition == other.partition && origin == other.origin }

    /// Whether this event comes after `other` of the same origin and partition.
    @inline(__always)
    package func isAfter(_ other: EventID) -> Bool {
        offset != other.offset ? offset > other.offset : part > other.part
    }
}

extension EventID: CustomStringConvertible {
    package var description: String {
        var text = "\(origin == .trips ? "t" : "")\(partition)-\(offset)"
        if let fix { text += ".\(fix)" }
        if punctuation > 0 { text += "+\(punctuation)" }
        if message > 0 { text += "/\(message)" }
        return text
    }

    /// Reads the text form; `nil` when it is malformed or out of range.
    package init?(_ text: some StringProtocol) {
        var bytes = Array(text.utf8)
        let parsed = bytes.withUnsafeMutableBufferPointer { buffer in
            EventID(ByteSlice(UnsafeRawBufferPointer(buffer)))
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Reads the text form from bytes, without allocating; `nil` when it is malformed or out of range.
    package init?(_ bytes: ByteSlice) {
        var cursor = 0
        func number() -> UInt64? {
            let start = cursor
            var value: UInt64 = 0
            while cursor < bytes.count, case let digit = bytes[cursor] &- 48, digit < 10 {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                value = product &+ UInt64(digit)
                cursor += 1
            }
            return cursor > start && cursor - start <= 19 ? value : nil
        }
        func skip(_ character: Unicode.Scalar) -> Bool {
            guard cursor < bytes.count, bytes[cursor] == UInt8(ascii: character) else { return false }
            cursor += 1
            return true
        }
        let origin: Origin = skip("t") ? .trips : .raw
        guard let partition = number().flatMap({ Int32(exactly: $0) }), skip("-"),
            let offset = number().flatMap({ Int64(exactly: $0) })
        else { return nil }
        var id = EventID(origin: origin, partition: partition, offset: offset)
        if skip(".") {
            guard let fix = number(), fix < 0xFFFE else { return nil }
            id = id.withFix(Int(fix))
        }
        if skip("+") {
            guard let punctuation = number(), punctuation <= Self.punctuationMask else { return nil }
            id = id.withPunctuation(punctuation)
        }
        if skip("/") {
            guard let message = number(), message <= Self.messageMask else { return nil }
            id = id.withMessage(Int(message))
        }
        guard cursor == bytes.count else { return nil }
        self = id
    }
}
