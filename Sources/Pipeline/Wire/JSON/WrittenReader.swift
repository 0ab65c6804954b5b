import Bytes
import CSimdJSON
import Pipeline
import Tracking

/// Reads a record in the very form that ``RecordWriter`` gives it.
///
/// Its members stand in their order, without white space, and its texts are printable ASCII without escapes. Nearly every
/// record has this form, and needs neither tokens nor a look-up of names. The first thing that is otherwise ends the
/// reading, which says nothing about the record: it is then for ``FieldsReader``, which alone decides what is valid.
struct WrittenReader: RecordCoder {
    /// The record is in another form, valid or not.
    struct Fault: Error {}

    private let parser: OpaquePointer
    private var place: sl_place
    private let end: UnsafePointer<UInt8>

    /// At the beginning of the record; `nil` when there is none.
    ///
    /// What is read points into `parser` and is valid until its next use.
    init?(_ record: ByteSlice, _ parser: JSONParser) {
        guard let start = record.start?.assumingMemoryBound(to: UInt8.self),
            let copy = sl_copy(parser.handle, start, record.count)
        else { return nil }
        self.parser = parser.handle
        place = sl_place(next: copy, mark: UInt8(ascii: "{"))
        end = copy + record.count
    }

    static var isReading: Bool { true }

    func missing(_ key: sl_key) -> Fault { Fault() }

    mutating func contains(_ key: sl_key, _ isPresent: Bool) -> Bool { sl_is_member(&place, key) }

    /// Whether there was such a member, once it has been looked for.
    private func isRead(_ found: sl_found) throws(Fault) -> Bool {
        if found == SL_OTHER { throw Fault() }
        return found == SL_FOUND
    }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard place.next.pointee == UInt8(ascii: byte) else { return false }
        place.next += 1
        return true
    }

    private mutating func text(_ key: sl_key, _ form: TextForm) throws(Fault) -> ByteSlice? {
        var text = sl_text()
        guard try isRead(sl_text_member(parser, &place, key, &text)) else { return nil }
        // Plain text has no control characters, so that of a name only the length is left to check.
        switch form {
        case .any: break
        case .name: guard text.count > 0, text.count <= Identifier.maximumByteCount else { throw Fault() }
        case .identifier: guard Identifier.isValid(ByteSlice(text)) else { throw Fault() }
        }
        return ByteSlice(text)
    }

    mutating func event(_ value: inout EventID) throws(Fault) {
        guard let text = try text(SL_KEY_EVENT_ID, .any), let event = EventID(text) else { throw Fault() }
        value = event
    }

    mutating func text(_ key: sl_key, _ value: inout ByteSlice) throws(Fault) {
        value = try text(key, .any) ?? .empty
    }

    mutating func text(_ key: sl_key, _ value: inout String, _ form: TextForm) throws(Fault) {
        guard let text = try text(key, form) else { throw Fault() }
        value.become(text)
    }

    mutating func text(_ key: sl_key, _ value: inout String?, _ form: TextForm) throws(Fault) {
        value.become(try text(key, form))
    }

    mutating func number(
        _ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces, in range: ClosedRange<Double>
    ) throws(Fault) {
        var number = 0.0
        guard try isRead(sl_number_member(parser, &place, key, &number)) else { return value = nil }
        guard range.contains(number) else { throw Fault() }
        value = number
    }

    mutating func integer(_ key: sl_key, _ value: inout Int64?, in range: ClosedRange<Int64>) throws(Fault) {
        var number: Int64 = 0
        guard try isRead(sl_integer_member(parser, &place, key, &number)) else { return value = nil }
        guard range.contains(number) else { throw Fault() }
        value = number
    }

    mutating func time(_ key: sl_key, _ value: inout Timestamp?) throws(Fault) {
        var milliseconds: Int64 = 0
        guard try isRead(sl_time_member(parser, &place, key, &milliseconds)) else { return value = nil }
        value = Timestamp(milliseconds: milliseconds)
    }

    mutating func bool(_ key: sl_key, _ value: inout Bool) throws(Fault) {
        guard try isRead(sl_bool_member(parser, &place, key, &value)) else { throw Fault() }
    }

    mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code?) throws(Fault) {
        guard let text = try text(key, .any) else { return value = nil }
        guard let code = Code(text) else { throw Fault() }
        value = code
    }

    mutating func codes<Codes: WireCodes>(_ key: sl_key, _ value: inout Codes, isOptional: Bool) throws(Fault) {
        value = Codes(rawValue: 0)
        guard sl_skip_member(&place, key) else {
            if isOptional { return }
            throw Fault()
        }
        guard skip("[") else { throw Fault() }
        guard !skip("]") else { return }
        repeat {
            var text = sl_text()
            guard sl_plain_text(parser, &place, &text) else { throw Fault() }
            value.insert(code: ByteSlice(text))
        } while skip(",")
        guard skip("]") else { throw Fault() }
    }

    mutating func json(_ key: sl_key, _ value: inout String?) throws(Fault) {
        guard !contains(key, true) else { throw Fault() }
        value = nil
    }

    mutating func open(_ key: sl_key) throws(Fault) {
        guard sl_skip_member(&place, key) else { throw Fault() }
        place.mark = UInt8(ascii: "{")
    }

    mutating func close() throws(Fault) {
        guard place.mark == UInt8(ascii: ",") || skip("{"), skip("}") else { throw Fault() }
        place.mark = UInt8(ascii: ",")
    }

    /// Ends the record, behind which nothing may stand.
    mutating func finish() throws(Fault) {
        try close()
        guard place.next == end else { throw Fault() }
    }

    mutating func stops(_ key: sl_key, _ stops: inout [TripEta.Stop], computedAt: Timestamp?) throws(Fault) {
        guard sl_skip_member(&place, key), skip("[") else { throw Fault() }
        var count = 0
        if place.next.pointee != UInt8(ascii: "]") {
            repeat {
                if count == stops.count { stops.append(.blank) }
                place.mark = UInt8(ascii: "{")
                try stops[count].code(computedAt: computedAt, with: &self)
                try close()
                count += 1
            } while skip(",")
        }
        guard skip("]") else { throw Fault() }
        if count < stops.count { stops.removeLast(stops.count - count) }
    }

    func derived(_ key: sl_key, _ write: (inout JSONCursor) -> Void) throws(Fault) { throw Fault() }

    func composed(
        _ key: sl_key, _ value: inout ByteSlice, _ write: (inout JSONCursor) -> Void
    ) throws(Fault) {
        throw Fault()
    }
}
