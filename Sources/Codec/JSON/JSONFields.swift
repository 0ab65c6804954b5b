import CSimdJSON
import Domain
import Support

/// An invalid or missing field, and the reason.
struct FieldFault: Error {
    var reason: DeadLetterReason
    var key: sl_key

    /// The field's name on the wire.
    var name: String { FieldName(key: key).description }
}

/// Name of a field on the wire; empty for the whole record.
package struct FieldName: Sendable, Equatable, CustomStringConvertible {
    // Computed, because a stored property is initialised lazily and checked at each access.
    static var none: FieldName { FieldName(key: SL_KEY_UNKNOWN) }

    var key: sl_key

    package var description: String { String(cString: sl_key_name(key)) }
}

/// Table of an object's fields by key, reused for other objects; slots with an older generation are empty.
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

/// The fields of an object by key, valid until its ``JSONSlots`` are used for another object.
///
/// If a name occurs twice, the last field counts; null counts as missing.
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

    /// Returns which of a member's two names is present; `key` if both or neither are.
    func present(_ key: sl_key, or other: sl_key) -> sl_key { self[key] == nil && self[other] != nil ? other : key }

    /// Reads a field with `read`; `nil` if it is missing.
    @inline(__always) private func optional<Value>(
        _ key: sl_key, _ read: (JSONValue) -> Value?
    ) throws(FieldFault) -> Value? {
        guard let value = self[key] else { return nil }
        guard let result = read(value) else { throw FieldFault(reason: .wrongType, key: key) }
        return result
    }

    @inline(__always) func required<Value>(_ key: sl_key, _ value: Value?) throws(FieldFault) -> Value {
        guard let value else { throw FieldFault(reason: .missingField, key: key) }
        return value
    }

    func optionalText(_ key: sl_key, _ format: TextFormat = .any) throws(FieldFault) -> ByteSlice? {
        guard let text = try optional(key, { $0.text }) else { return nil }
        guard format.allows(text) else { throw FieldFault(reason: .invalidID, key: key) }
        return text
    }

    func text(_ key: sl_key, _ format: TextFormat = .any) throws(FieldFault) -> ByteSlice {
        try required(key, optionalText(key, format))
    }

    func optionalDouble(_ key: sl_key, in range: ClosedRange<Double> = -1e15...1e15) throws(FieldFault) -> Double? {
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

    /// Reads a flag; `false` if missing.
    func bool(_ key: sl_key) throws(FieldFault) -> Bool { try optional(key) { $0.bool } ?? false }

    /// Reads one of the words of `type`; `nil` if missing.
    func optionalCode<Code: WireCode>(_ key: sl_key, as type: Code.Type) throws(FieldFault) -> Code? {
        guard let text = try optionalText(key) else { return nil }
        guard let code = Code(text) else { throw FieldFault(reason: .wrongType, key: key) }
        return code
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
