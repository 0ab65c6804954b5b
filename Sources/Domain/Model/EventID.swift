import Support

/// Identifier of a derived record: its source record, and its number among the outputs of the source record.
///
/// Written `partition-offset`, followed by a part if the source record yields several records:
///
/// | text | meaning |
/// |---|---|
/// | `3-184467` | from offset 184467 of partition 3 of the raw topic |
/// | `3-184467.7` | from the eighth fix of the batch at that offset |
/// | `3-184467+2` | from the second punctuation after that offset |
/// | `3-184467/1` | second message (number 1) of event `3-184467` |
/// | `t3-512` | from offset 512 of partition 3 of the trips topic |
///
/// Ids of the same origin and partition sort in the order of events. Ids of different origins are not comparable; see
/// ``Watermark``.
package struct EventID: Hashable, Sendable {
    /// Topic of the source record.
    package enum Origin: UInt8, Sendable {
        case raw = 0
        case trips = 1
    }

    package var origin: Origin
    package var partition: Int32
    package var offset: Int64
    /// ``fix``, ``punctuation`` and ``message``, packed so that numeric order is event order.
    package private(set) var part: UInt64

    private static let messageBits: UInt64 = 8
    private static let punctuationBits: UInt64 = 40
    private static let messageMask: UInt64 = (1 << messageBits) - 1
    private static let punctuationMask: UInt64 = (1 << punctuationBits) - 1

    package init(origin: Origin = .raw, partition: Int32, offset: Int64) {
        (self.origin, self.partition, self.offset) = (origin, partition, offset)
        part = 0
    }

    package init(origin: Origin, partition: Int32, offset: Int64, part: UInt64) {
        (self.origin, self.partition, self.offset, self.part) = (origin, partition, offset, part)
    }

    /// The index of the fix in its batch, from 0; `nil` for a record with a single fix.
    package var fix: Int? {
        let stored = part >> (Self.punctuationBits + Self.messageBits)
        return stored == 0 ? nil : Int(stored) - 1
    }

    /// The number of the punctuation after the source record, from 1; 0 for the record itself.
    package var punctuation: UInt64 { (part >> Self.messageBits) & Self.punctuationMask }

    /// The number of the message within its event, from 0 to 255.
    package var message: Int { Int(part & Self.messageMask) }

    /// Whether all numbers are in range; checked for ids read from bytes.
    var isValid: Bool { partition >= 0 && offset >= 0 && part >> (Self.punctuationBits + Self.messageBits) <= 0xFFFE }

    /// Returns the id of the `index`-th fix (from 0) of the batch that this id identifies.
    package func withFix(_ index: Int) -> EventID {
        precondition(index >= 0 && index < 0xFFFE, "The index of a fix must be within 0 to 65,533.")
        var copy = self
        copy.part = UInt64(index + 1) << (Self.punctuationBits + Self.messageBits)
        return copy
    }

    /// Returns the id of the `number`-th punctuation (from 1) after this event; replaces punctuation and message.
    package func withPunctuation(_ number: UInt64) -> EventID {
        precondition(number <= Self.punctuationMask, "The number of a punctuation must be below 2^40.")
        var copy = self
        copy.part &= ~(Self.punctuationMask << Self.messageBits | Self.messageMask)
        copy.part |= number << Self.messageBits
        return copy
    }

    /// The id of the next punctuation; `nil` if the numbers are used up, which happens only with forged ids.
    package var nextPunctuation: EventID? {
        punctuation < Self.punctuationMask ? withPunctuation(punctuation + 1) : nil
    }

    /// Returns the id of the `number`-th message (from 0) of this event.
    package func withMessage(_ number: Int) -> EventID {
        precondition(number >= 0 && number <= Int(Self.messageMask), "The number of a message must be within 0 to 255.")
        var copy = self
        copy.part = (copy.part & ~Self.messageMask) | UInt64(number)
        return copy
    }

    /// Returns whether both ids have the same origin and partition, so that their order is defined.
    package func isSameSource(as other: EventID) -> Bool { partition == other.partition && origin == other.origin }

    /// Returns whether this event comes after `other`, which must have the same origin and partition.
    @inline(__always) package func isAfter(_ other: EventID) -> Bool {
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

    /// Parses the text format; `nil` if it is malformed or out of range.
    package init?(_ text: some StringProtocol) {
        guard let parsed = ByteSlice.withBytes(of: String(text), { EventID($0) }) else { return nil }
        self = parsed
    }

    /// Parses the text format without allocating; `nil` if it is malformed or out of range.
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

extension EventID {
    /// Bytes of the binary format: origin (1), partition (4), offset (8) and part (8), little-endian.
    package static let byteCount = 21
    /// Origin byte of an absent event.
    private static let absent: UInt8 = 0xff

    /// Appends the binary format of an event; `nil` for an absent event.
    package static func write(_ event: EventID?, into writer: inout ByteWriter) {
        writer.append(atMost: byteCount) { buffer in
            (event ?? EventID(partition: 0, offset: 0)).store(into: buffer, at: 0)
            if event == nil { buffer[0] = absent }
            return byteCount
        }
    }

    /// Stores the binary format at `start`.
    @inline(__always) func store(into buffer: UnsafeMutableRawBufferPointer, at start: Int) {
        buffer[start] = origin.rawValue
        buffer.storeBytes(of: partition.littleEndian, toByteOffset: start + 1, as: Int32.self)
        buffer.storeBytes(of: offset.littleEndian, toByteOffset: start + 5, as: Int64.self)
        buffer.storeBytes(of: part.littleEndian, toByteOffset: start + 13, as: UInt64.self)
    }

    /// Reads the binary format at `start`; `nil` for an absent event and for invalid bytes.
    package init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard bytes.count >= start + Self.byteCount, let origin = Origin(rawValue: bytes[start]) else { return nil }
        self.init(
            origin: origin,
            partition: Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 1, as: Int32.self)),
            offset: Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 5, as: Int64.self)),
            part: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 13, as: UInt64.self)))
        guard isValid else { return nil }
    }
}
