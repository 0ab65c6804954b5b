import CSimdJSON
import Model
import Support

/// Walks over the members of a record, writing or reading them.
///
/// One list of members serves both directions, so that they cannot drift apart. A list names its members in the order
/// in which they are written, and a writer changes nothing of the record. Optional values that are `nil`, and empty
/// ``Bytes/ByteSlice``s, are left out.
protocol RecordCoder {
    static var isReading: Bool { get }

    /// Says that a record has no member `key`, or no usable one.
    func missing(_ key: sl_key) -> any Error

    /// Whether the next members are a group that begins with `key`, or the object of that name.
    ///
    /// - Returns: `isPresent` when writing, what the record says when reading.
    mutating func contains(_ key: sl_key, _ isPresent: Bool) -> Bool

    mutating func event(_ value: inout EventID) throws
    mutating func text(_ key: sl_key, _ value: inout ByteSlice) throws
    /// Reads as ``text(_:_:)-(_,ByteSlice)``, keeping the storage of a text that is the same as before.
    mutating func text(_ key: sl_key, _ value: inout String, _ form: TextFormat) throws
    mutating func text(_ key: sl_key, _ value: inout String?, _ form: TextFormat) throws
    mutating func number(
        _ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces, in range: ClosedRange<Double>
    ) throws
    mutating func integer(_ key: sl_key, _ value: inout Int64?, in range: ClosedRange<Int64>) throws
    mutating func time(_ key: sl_key, _ value: inout Timestamp?) throws
    /// Always written.
    mutating func bool(_ key: sl_key, _ value: inout Bool) throws
    mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code?) throws
    /// A list of words, of which readers ignore those that they do not know: a newer writer may have more.
    mutating func codes<Codes: WireCodes>(_ key: sl_key, _ value: inout Codes, isOptional: Bool) throws
    /// An object that is passed on as its JSON text.
    mutating func json(_ key: sl_key, _ value: inout String?) throws

    /// Opens the object `key`, whose members follow, up to ``close()``.
    mutating func open(_ key: sl_key) throws
    mutating func close() throws
    /// A list of stops, each with `computedAt` where that is given; reading keeps what storage it can.
    mutating func stops(_ key: sl_key, _ stops: inout [TripEta.Stop], computedAt: Timestamp?) throws

    /// A member that follows from the others, so that readers ignore it.
    mutating func derived(_ key: sl_key, _ write: (inout JSONCursor) -> Void) throws
    /// A text that a writer composes, between quotes and without need for escapes.
    mutating func composed(
        _ key: sl_key, _ value: inout ByteSlice, _ write: (inout JSONCursor) -> Void
    ) throws
}

extension ClosedRange<Double> {
    /// Wider than anything that is measured, and finite.
    static var anyNumber: Self { -1e15...1e15 }
}

/// Members that a record must have, and those that are made of others.
extension RecordCoder {
    @inline(__always)
    mutating func number(
        _ key: sl_key, _ value: inout Double, _ places: DecimalPlaces, in range: ClosedRange<Double> = .anyNumber
    ) throws {
        var optional: Double? = value
        try number(key, &optional, places, in: range)
        try take(optional, as: key, into: &value)
    }

    @inline(__always)
    mutating func number(_ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces) throws {
        try number(key, &value, places, in: .anyNumber)
    }

    @inline(__always)
    mutating func integer(_ key: sl_key, _ value: inout Int64?) throws {
        try integer(key, &value, in: .min ... .max)
    }

    @inline(__always)
    mutating func integer(
        _ key: sl_key, _ value: inout Int?, in range: ClosedRange<Int64> = .min ... .max
    ) throws {
        var number = value.map { Int64($0) }
        try integer(key, &number, in: range)
        if Self.isReading { value = number.map { Int($0) } }
    }

    @inline(__always)
    mutating func integer(_ key: sl_key, _ value: inout Int) throws {
        var optional: Int? = value
        try integer(key, &optional)
        try take(optional, as: key, into: &value)
    }

    @inline(__always)
    mutating func time(_ key: sl_key, _ value: inout Timestamp) throws {
        var optional: Timestamp? = value
        try time(key, &optional)
        try take(optional, as: key, into: &value)
    }

    /// A time as milliseconds since 1970, as the messages of the bus design have it.
    @inline(__always)
    mutating func milliseconds(_ key: sl_key, _ value: inout Timestamp?) throws {
        var number = value?.milliseconds
        try integer(key, &number, in: 0...Timestamp.latest.milliseconds)
        if Self.isReading { value = number.map { Timestamp(milliseconds: $0) } }
    }

    @inline(__always)
    mutating func milliseconds(_ key: sl_key, _ value: inout Timestamp) throws {
        var optional: Timestamp? = value
        try milliseconds(key, &optional)
        try take(optional, as: key, into: &value)
    }

    /// A flag that is usually not set, and is left out then.
    @inline(__always)
    mutating func rareFlag(_ key: sl_key, _ value: inout Bool) throws {
        if contains(key, value) {
            try bool(key, &value)
        } else if Self.isReading {
            value = false
        }
    }

    @inline(__always)
    mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code) throws {
        var optional: Code? = value
        try code(key, &optional)
        try take(optional, as: key, into: &value)
    }

    @inline(__always)
    mutating func coordinate(
        _ value: inout Coordinate, _ latitude: sl_key = SL_KEY_LATITUDE, _ longitude: sl_key = SL_KEY_LONGITUDE
    ) throws {
        try number(latitude, &value.latitude, .degrees, in: -90...90)
        try number(longitude, &value.longitude, .degrees, in: -180...180)
    }

    /// Makes what was read the value; what was written stays as it is.
    @inline(__always)
    private func take<Value>(_ read: Value?, as key: sl_key, into value: inout Value) throws {
        guard let read else { throw missing(key) }
        if Self.isReading { value = read }
    }
}
