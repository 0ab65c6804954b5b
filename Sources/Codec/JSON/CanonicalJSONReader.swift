import CSimdJSON
import Domain
import Support

/// Reader of records encoded exactly as by ``RecordWriter``; throws at the first deviation.
///
/// Needs no tokens and no look-up of names. ``RecordDecoder`` also reads other encodings.
struct CanonicalJSONReader: RecordCoder {
    /// Deviation from the canonical encoding; the record may still be valid.
    struct Fault: Error {}

    private let parser: OpaquePointer
    private var next: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    /// The byte before the next member: the brace of its object, or a comma.
    private var separator = UInt8(ascii: "{")

    /// Copies the record into `parser`; `nil` if the record is empty or memory is short.
    ///
    /// The slices read from the copy are valid until the parser is used again.
    init?(_ record: ByteSlice, _ parser: JSONParser) {
        guard let start = record.start?.assumingMemoryBound(to: UInt8.self),
            let copy = sl_copy(parser.handle, start, record.count)
        else { return nil }
        self.parser = parser.handle
        next = copy
        end = copy + record.count
    }

    static var isReading: Bool { true }

    func missing(_ key: sl_key) -> any Error { Fault() }

    @inline(__always) func contains(_ key: sl_key, _ isPresent: Bool) -> Bool {
        next.pointee == separator && sl_same_bytes(next + 1, sl_member_text(key) + 1, sl_member_count(key) - 1)
    }

    /// Skips ``separator``, the quoted name and the colon if they come next.
    @inline(__always) private mutating func skip(_ key: sl_key) -> Bool {
        guard contains(key, true) else { return false }
        next += sl_member_count(key)
        separator = UInt8(ascii: ",")
        return true
    }

    @inline(__always) private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard next.pointee == UInt8(ascii: byte) else { return false }
        next += 1
        return true
    }

    // Values are read out of line; only the comparison with a constant name is inlined.

    /// Moves to the end of a value; throws if `end` is `nil` (the value is not canonical).
    @inline(__always) private mutating func advance(to end: UnsafePointer<UInt8>?) throws {
        guard let end else { throw Fault() }
        next = end
    }

    @inline(never) private mutating func text(_ format: TextFormat) throws -> ByteSlice {
        var text = sl_text()
        try advance(to: sl_plain_text(parser, next, &text))
        // Plain text has no control characters, so only the length of a name must be checked.
        switch format {
        case .any: break
        case .name: guard text.count > 0, text.count <= Identifier.maximumByteCount else { throw Fault() }
        case .identifier: guard Identifier.isValid(ByteSlice(text)) else { throw Fault() }
        }
        return ByteSlice(text)
    }

    @inline(never) private mutating func number(in range: ClosedRange<Double>) throws -> Double {
        var number = 0.0
        try advance(to: sl_plain_number(parser, next, &number))
        guard range.contains(number) else { throw Fault() }
        return number
    }

    @inline(never) private mutating func integer(in range: ClosedRange<Int64>) throws -> Int64 {
        var number: Int64 = 0
        try advance(to: sl_plain_integer(parser, next, &number))
        guard range.contains(number) else { throw Fault() }
        return number
    }

    mutating func event(_ value: inout EventID) throws {
        guard skip(SL_KEY_EVENT_ID), let event = EventID(try text(.any)) else { throw Fault() }
        value = event
    }

    @inline(__always) mutating func text(_ key: sl_key, _ value: inout ByteSlice) throws {
        value = skip(key) ? try text(.any) : .empty
    }

    @inline(__always) mutating func text(_ key: sl_key, _ value: inout String, _ format: TextFormat) throws {
        guard skip(key) else { throw Fault() }
        value.assign(try text(format))
    }

    @inline(__always) mutating func text(_ key: sl_key, _ value: inout String?, _ format: TextFormat) throws {
        value.assign(skip(key) ? try text(format) : nil)
    }

    @inline(__always) mutating func number(
        _ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces, in range: ClosedRange<Double>
    ) throws {
        guard skip(key) else { return value = nil }
        value = try number(in: range)
    }

    @inline(__always) mutating func integer(_ key: sl_key, _ value: inout Int64?, in range: ClosedRange<Int64>) throws {
        guard skip(key) else { return value = nil }
        value = try integer(in: range)
    }

    @inline(__always) mutating func time(_ key: sl_key, _ value: inout Timestamp?) throws {
        guard skip(key) else { return value = nil }
        var milliseconds: Int64 = 0
        try advance(to: sl_plain_time(parser, next, &milliseconds))
        value = Timestamp(milliseconds: milliseconds)
    }

    @inline(__always) mutating func bool(_ key: sl_key, _ value: inout Bool) throws {
        guard skip(key) else { throw Fault() }
        value = next.pointee == UInt8(ascii: "t")
        guard skip(literal: value ? "true" : "false") else { throw Fault() }
    }

    @inline(__always) private mutating func skip(literal: StaticString) -> Bool {
        guard sl_same_bytes(next, literal.utf8Start, literal.utf8CodeUnitCount) else { return false }
        next += literal.utf8CodeUnitCount
        return true
    }

    @inline(__always) mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code?) throws {
        guard skip(key) else { return value = nil }
        guard let code = Code(try text(.any)) else { throw Fault() }
        value = code
    }

    mutating func codes<Codes: WireCodes>(_ key: sl_key, _ value: inout Codes, isOptional: Bool) throws {
        value = Codes(rawValue: 0)
        guard skip(key) else {
            if isOptional { return }
            throw Fault()
        }
        guard skip("[") else { throw Fault() }
        guard !skip("]") else { return }
        repeat { value.insert(code: try text(.any)) } while skip(",")
        guard skip("]") else { throw Fault() }
    }

    mutating func json(_ key: sl_key, _ value: inout String?) throws {
        guard !contains(key, true) else { throw Fault() }
        value = nil
    }

    @inline(__always) mutating func open(_ key: sl_key) throws {
        guard skip(key) else { throw Fault() }
        separator = UInt8(ascii: "{")
    }

    @inline(__always) mutating func close() throws {
        guard separator == UInt8(ascii: ",") || skip("{"), skip("}") else { throw Fault() }
        separator = UInt8(ascii: ",")
    }

    /// Closes the record and checks that nothing follows it.
    mutating func finish() throws {
        try close()
        guard next == end else { throw Fault() }
    }

    mutating func stops(_ key: sl_key, _ stops: inout [TripEta.Stop], computedAt: Timestamp?) throws {
        guard skip(key), skip("[") else { throw Fault() }
        var count = 0
        if next.pointee != UInt8(ascii: "]") {
            repeat {
                if count == stops.count { stops.append(.blank) }
                separator = UInt8(ascii: "{")
                try stops[count].code(computedAt: computedAt, with: &self)
                try close()
                count += 1
            } while skip(",")
        }
        guard skip("]") else { throw Fault() }
        if count < stops.count { stops.removeLast(stops.count - count) }
    }

    func derived(_ key: sl_key, _ write: (inout JSONCursor) -> Void) throws { throw Fault() }

    func composed(_ key: sl_key, _ value: inout ByteSlice, _ write: (inout JSONCursor) -> Void) throws { throw Fault() }
}
