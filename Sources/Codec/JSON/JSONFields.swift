import CSimdJSON
import Model
import Support

/// Where the fields of one object are looked up by name; made once and used for object after object.
final class JSONSlots {
    fileprivate struct Slot {
        var generation: UInt64
        var value: JSONValue
    }

    fileprivate let slots: UnsafeMutablePointer<Slot?>
    fileprivate var generation: UInt64 = 0

    init() {
        slots = .allocate(capacity: Int(SL_KEY_COUNT.rawValue))
        slots.initialize(repeating: nil, count: Int(SL_KEY_COUNT.rawValue))
    }

    deinit { slots.deallocate() }
}

/// The fields of an object by name: of a name that comes twice the last one, null as if it were missing.
///
/// Valid until its ``JSONSlots`` take another object.
struct JSONFields {
    private let slots: UnsafeMutablePointer<JSONSlots.Slot?>
    private let generation: UInt64

    init(_ object: JSONValue, in storage: JSONSlots) {
        storage.generation += 1
        slots = storage.slots
        generation = storage.generation
        for member in object.members {
            slots[Int(member.key.rawValue)] = JSONSlots.Slot(generation: generation, value: member)
        }
    }

    subscript(key: sl_key) -> JSONValue? {
        guard let slot = slots[Int(key.rawValue)], slot.generation == generation, !slot.value.isNull else { return nil }
        return slot.value
    }

    /// The name under which a member with two names is there; the first when it is under neither.
    func present(_ key: sl_key, or other: sl_key) -> sl_key { self[key] == nil && self[other] != nil ? other : key }

    /// Reads a field with `read`; `nil` when it is missing.
    @inline(__always)
    private func optional<Value>(
        _ key: sl_key, _ read: (JSONValue) -> Value?
    ) throws(FieldFault) -> Value? {
        guard let value = self[key] else { return nil }
        guard let result = read(value) else { throw FieldFault(reason: .wrongType, key: key) }
        return result
    }

    @inline(__always)
    func required<Value>(_ key: sl_key, _ value: Value?) throws(FieldFault) -> Value {
        guard let value else { throw FieldFault(reason: .missingField, key: key) }
        return value
    }

    func optionalText(_ key: sl_key) throws(FieldFault) -> ByteSlice? { try optional(key) { $0.text } }

    func text(_ key: sl_key) throws(FieldFault) -> ByteSlice { try required(key, optionalText(key)) }

    /// Text of 1 to 128 bytes without control characters.
    func optionalName(_ key: sl_key) throws(FieldFault) -> ByteSlice? {
        guard let text = try optionalText(key) else { return nil }
        guard Identifier.isName(text) else { throw FieldFault(reason: .invalidID, key: key) }
        return text
    }

    func name(_ key: sl_key) throws(FieldFault) -> ByteSlice { try required(key, optionalName(key)) }

    /// Text that ``Identifier`` allows.
    func optionalIdentifier(_ key: sl_key) throws(FieldFault) -> ByteSlice? {
        guard let text = try optionalText(key) else { return nil }
        guard Identifier.isValid(text) else { throw FieldFault(reason: .invalidID, key: key) }
        return text
    }

    func identifier(_ key: sl_key) throws(FieldFault) -> ByteSlice { try required(key, optionalIdentifier(key)) }

    func optionalDouble(
        _ key: sl_key, in range: ClosedRange<Double> = -1e15...1e15
    ) throws(FieldFault) -> Double? {
        guard let number = try optional(key, { $0.double }) else { return nil }
        guard number.isFinite else { throw FieldFault(reason: .notFinite, key: key) }
        guard range.contains(number) else { throw FieldFault(reason: .outOfRange, key: key) }
        return number
    }

    func double(_ key: sl_key, in range: ClosedRange<Double> = -1e15...1e15) throws(FieldFault) -> Double {
        try required(key, optionalDouble(key, in: range))
    }

    func optionalInteger(_ key: sl_key, in range: ClosedRange<Int64> = .min ... .max) throws(FieldFault) -> Int64? {
        guard let number = try optional(key, { $0.double }) else { return nil }
        guard number.isFinite else { throw FieldFault(reason: .notFinite, key: key) }
        guard let integer = self[key]?.integer else { throw FieldFault(reason: .wrongType, key: key) }
        guard range.contains(integer) else { throw FieldFault(reason: .outOfRange, key: key) }
        return integer
    }

    func optionalInt(_ key: sl_key, in range: ClosedRange<Int64> = .min ... .max) throws(FieldFault) -> Int? {
        try optionalInteger(key, in: range).map { Int($0) }
    }

    func optionalTimestamp(_ key: sl_key) throws(FieldFault) -> Timestamp? {
        guard let value = self[key] else { return nil }
        guard let timestamp = value.timestamp else { throw FieldFault(reason: .invalidTimestamp, key: key) }
        return timestamp
    }

    /// `false` when missing.
    func bool(_ key: sl_key) throws(FieldFault) -> Bool { try optional(key) { $0.bool } ?? false }

    /// One of a list of words.
    func optionalCode<Code: WireCode>(_ key: sl_key, as type: Code.Type) throws(FieldFault) -> Code? {
        guard let text = try optionalText(key) else { return nil }
        guard let code = Code(text) else { throw FieldFault(reason: .wrongType, key: key) }
        return code
    }

    func code<Code: WireCode>(_ key: sl_key, as type: Code.Type) throws(FieldFault) -> Code {
        try required(key, optionalCode(key, as: type))
    }

    func coordinate(
        _ latitude: sl_key = SL_KEY_LATITUDE, _ longitude: sl_key = SL_KEY_LONGITUDE
    ) throws(FieldFault) -> Coordinate {
        Coordinate(latitude: try double(latitude, in: -90...90), longitude: try double(longitude, in: -180...180))
    }

    func optionalObject(_ key: sl_key) throws(FieldFault) -> JSONValue? {
        try optional(key) { $0.kind == SL_OBJECT ? $0 : nil }
    }

    func object(_ key: sl_key) throws(FieldFault) -> JSONValue { try required(key, optionalObject(key)) }

    func optionalArray(_ key: sl_key) throws(FieldFault) -> JSONValue? {
        try optional(key) { $0.kind == SL_ARRAY ? $0 : nil }
    }

    func eventID() throws(FieldFault) -> EventID {
        guard let event = EventID(try text(SL_KEY_EVENT_ID)) else {
            throw FieldFault(reason: .invalidID, key: SL_KEY_EVENT_ID)
        }
        return event
    }
}
