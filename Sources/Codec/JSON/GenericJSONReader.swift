import CSimdJSON
import Domain
import Support

/// Reader of a record written as any valid JSON, with members in any order, from the values that the parser found.
struct GenericJSONReader: RecordCoder {
    private let storage: JSONStorage
    /// Fields of the innermost open object.
    private var fields: JSONFields
    private var depth = 0
    /// `.0`: fields of the record, while an object is open; `.1`: fields of that object, while another is open in it.
    private var outer: (JSONFields, JSONFields)

    init(_ record: JSONValue, _ storage: JSONStorage) {
        self.storage = storage
        fields = JSONFields(record, in: storage.slots.0)
        outer = (fields, fields)
    }

    static var isReading: Bool { true }

    func missing(_ key: sl_key) -> any Error { FieldFault(reason: .missingField, key: key) }

    func contains(_ key: sl_key, _ isPresent: Bool) -> Bool { fields[key] != nil }

    func event(_ value: inout EventID) throws { value = try fields.eventID() }

    func text(_ key: sl_key, _ value: inout ByteSlice) throws { value = try fields.optionalText(key) ?? .empty }

    func text(_ key: sl_key, _ value: inout String, _ format: TextFormat) throws {
        value.assign(try fields.text(key, format))
    }

    func text(_ key: sl_key, _ value: inout String?, _ format: TextFormat) throws {
        value.assign(try fields.optionalText(key, format))
    }

    func number(_ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces, in range: ClosedRange<Double>) throws {
        value = try fields.optionalDouble(key, in: range)
    }

    func integer(_ key: sl_key, _ value: inout Int64?, in range: ClosedRange<Int64>) throws {
        value = try fields.optionalInteger(key, in: range)
    }

    func time(_ key: sl_key, _ value: inout Timestamp?) throws { value = try fields.optionalTimestamp(key) }

    /// Reads a flag; `false` if missing.
    func bool(_ key: sl_key, _ value: inout Bool) throws { value = try fields.bool(key) }

    func code<Code: WireCode>(_ key: sl_key, _ value: inout Code?) throws {
        value = try fields.optionalCode(key, as: Code.self)
    }

    func codes<Codes: WireCodes>(_ key: sl_key, _ value: inout Codes, isOptional: Bool) throws {
        value = Codes(rawValue: 0)
        guard let codes = try fields.optionalArray(key) else { return }
        for element in codes.members {
            guard let text = element.text else { throw FieldFault(reason: .wrongType, key: key) }
            value.insert(code: text)
        }
    }

    func json(_ key: sl_key, _ value: inout String?) throws {
        guard let text = fields[key]?.keptText else { return value = nil }
        // The parser has checked only the balance of the text's brackets.
        guard let minified = storage.inner.minify(text) else { throw FieldFault(reason: .malformedJSON, key: key) }
        value = minified.string
    }

    mutating func open(_ key: sl_key) throws { enter(try fields.object(key)) }

    private mutating func enter(_ object: JSONValue) {
        precondition(depth < 2, "Records have at most two levels of nested objects.")
        if depth == 0 { outer.0 = fields } else { outer.1 = fields }
        depth += 1
        fields = JSONFields(object, in: depth == 1 ? storage.slots.1 : storage.slots.2)
    }

    mutating func close() {
        depth -= 1
        fields = depth == 0 ? outer.0 : outer.1
    }

    mutating func stops(_ key: sl_key, _ stops: inout [TripEta.Stop], computedAt: Timestamp?) throws {
        guard let array = try fields.optionalArray(key) else { throw missing(key) }
        var count = 0
        for object in array.members {
            guard object.kind == SL_OBJECT else { throw FieldFault(reason: .wrongType, key: key) }
            if count == stops.count { stops.append(.blank) }
            enter(object)
            try stops[count].code(computedAt: computedAt, with: &self)
            close()
            count += 1
        }
        stops.removeLast(stops.count - count)
    }

    func derived(_ key: sl_key, _ write: (inout JSONCursor) -> Void) {}

    func composed(_ key: sl_key, _ value: inout ByteSlice, _ write: (inout JSONCursor) -> Void) throws {
        value = try fields.text(key)
    }
}
