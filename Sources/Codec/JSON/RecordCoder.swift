import CSimdJSON
import Domain
import Support

/// Record of one of Sightline's topics, whose members are listed once for writing and reading.
protocol WireRecord {
    /// Writes or reads the members, in the order of the written record; `event` is the record's id.
    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws
}

/// Writer or reader of records: one call per member for both, so that they cannot diverge.
///
/// A writer does not change the record. Optional values that are `nil`, and empty ``Support/ByteSlice``s, are omitted.
protocol RecordCoder {
    static var isReading: Bool { get }

    /// Returns the error for a member that is missing or unusable.
    func missing(_ key: sl_key) -> any Error

    /// Returns whether the optional members from `key` on are present; when writing, returns `isPresent`.
    mutating func contains(_ key: sl_key, _ isPresent: Bool) -> Bool

    mutating func event(_ value: inout EventID) throws
    mutating func text(_ key: sl_key, _ value: inout ByteSlice) throws
    /// Writes or reads a text; reading an equal text keeps the string's storage.
    mutating func text(_ key: sl_key, _ value: inout String, _ format: TextFormat) throws
    mutating func text(_ key: sl_key, _ value: inout String?, _ format: TextFormat) throws
    mutating func number(
        _ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces, in range: ClosedRange<Double>
    ) throws
    mutating func integer(_ key: sl_key, _ value: inout Int64?, in range: ClosedRange<Int64>) throws
    mutating func time(_ key: sl_key, _ value: inout Timestamp?) throws
    /// Writes or reads a flag, which is written even if it is `false`.
    mutating func bool(_ key: sl_key, _ value: inout Bool) throws
    mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code?) throws
    /// Writes or reads a list of words. Readers ignore unknown words, which newer writers may add.
    mutating func codes<Codes: WireCodes>(_ key: sl_key, _ value: inout Codes, isOptional: Bool) throws
    /// Writes or reads an object that is passed through as JSON text.
    mutating func json(_ key: sl_key, _ value: inout String?) throws

    /// Opens the object `key`; the following members belong to it until ``close()``.
    mutating func open(_ key: sl_key) throws
    mutating func close() throws
    /// Writes or reads stops, each with `computedAt` if it is not `nil`; reading reuses the stops'
    /// storage.
    mutating func stops(_ key: sl_key, _ stops: inout [TripEta.Stop], computedAt: Timestamp?) throws

    /// Writes a member computed from others; ``GenericJSONReader`` ignores it, ``CanonicalJSONReader`` throws.
    mutating func derived(_ key: sl_key, _ write: (inout JSONCursor) -> Void) throws
    /// Writes a text that `write` composes without escapes, or reads it; ``CanonicalJSONReader`` throws.
    mutating func composed(_ key: sl_key, _ value: inout ByteSlice, _ write: (inout JSONCursor) -> Void) throws
}

/// Maximum number of decimal places written.
enum DecimalPlaces {
    /// Seven: degrees of latitude and longitude.
    case degrees
    /// Three: probabilities.
    case thousandths
    /// Two: metres, m/s.
    case hundredths
    /// Two, in [0, 360): a value that rounds to 360 is written as 0.
    case heading
    /// One: long distances, seconds.
    case tenths
}

/// Constraint on a text that is read.
enum TextFormat {
    case any
    /// A name: 1 to 128 bytes without control characters.
    case name
    /// An identifier; see ``Identifier/isValid(_:)``.
    case identifier

    @inline(__always) func allows(_ text: ByteSlice) -> Bool {
        switch self {
        case .any: true
        case .name: Identifier.isName(text)
        case .identifier: Identifier.isValid(text)
        }
    }
}

extension ClosedRange<Double> {
    static var anyNumber: Self { -1e15...1e15 }
}

/// Convenience overloads: required values, integers, times and coordinates.
extension RecordCoder {
    @inline(__always) mutating func number(
        _ key: sl_key, _ value: inout Double, _ places: DecimalPlaces, in range: ClosedRange<Double> = .anyNumber
    ) throws {
        var optional: Double? = value
        try number(key, &optional, places, in: range)
        try assign(optional, as: key, into: &value)
    }

    @inline(__always) mutating func number(_ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces) throws {
        try number(key, &value, places, in: .anyNumber)
    }

    @inline(__always) mutating func integer(_ key: sl_key, _ value: inout Int64?) throws {
        try integer(key, &value, in: .min ... .max)
    }

    @inline(__always) mutating func integer(
        _ key: sl_key, _ value: inout Int?, in range: ClosedRange<Int64> = .min ... .max
    ) throws {
        var number = value.map { Int64($0) }
        try integer(key, &number, in: range)
        if Self.isReading { value = number.map { Int($0) } }
    }

    @inline(__always) mutating func integer(_ key: sl_key, _ value: inout Int) throws {
        var optional: Int? = value
        try integer(key, &optional)
        try assign(optional, as: key, into: &value)
    }

    @inline(__always) mutating func time(_ key: sl_key, _ value: inout Timestamp) throws {
        var optional: Timestamp? = value
        try time(key, &optional)
        try assign(optional, as: key, into: &value)
    }

    /// Writes or reads a time as milliseconds since 1970, for the messages about vehicles of a route.
    @inline(__always) mutating func milliseconds(_ key: sl_key, _ value: inout Timestamp?) throws {
        var number = value?.milliseconds
        try integer(key, &number, in: 0...Timestamp.latest.milliseconds)
        if Self.isReading { value = number.map { Timestamp(milliseconds: $0) } }
    }

    @inline(__always) mutating func milliseconds(_ key: sl_key, _ value: inout Timestamp) throws {
        var optional: Timestamp? = value
        try milliseconds(key, &optional)
        try assign(optional, as: key, into: &value)
    }

    /// Writes or reads a flag that is omitted if it is `false`.
    @inline(__always) mutating func rareFlag(_ key: sl_key, _ value: inout Bool) throws {
        if contains(key, value) {
            try bool(key, &value)
        } else if Self.isReading {
            value = false
        }
    }

    @inline(__always) mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code) throws {
        var optional: Code? = value
        try code(key, &optional)
        try assign(optional, as: key, into: &value)
    }

    @inline(__always) mutating func coordinate(
        _ value: inout Coordinate, _ latitude: sl_key = SL_KEY_LATITUDE, _ longitude: sl_key = SL_KEY_LONGITUDE
    ) throws {
        try number(latitude, &value.latitude, .degrees, in: -90...90)
        try number(longitude, &value.longitude, .degrees, in: -180...180)
    }

    /// Assigns a value that was read; throws if it is missing.
    @inline(__always) private func assign<Value>(_ read: Value?, as key: sl_key, into value: inout Value) throws {
        guard let read else { throw missing(key) }
        if Self.isReading { value = read }
    }
}
