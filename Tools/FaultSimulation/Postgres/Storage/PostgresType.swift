import Support

/// Type of a column, with the checks and the text of its binary values.
enum PostgresType: Equatable {
    case bigint
    case integer
    case smallint
    case real
    case double
    case boolean
    case text
    case textArray
    case timestamp
    /// An enumeration with its labels.
    case enumeration(name: String, labels: [String])

    /// `enumerations`: labels by name of the enumeration.
    init?(_ name: String, enumerations: [String: [String]]) {
        switch name {
        case "bigint": self = .bigint
        case "integer": self = .integer
        case "smallint": self = .smallint
        case "real": self = .real
        case "double precision": self = .double
        case "boolean": self = .boolean
        case "text": self = .text
        case "text[]": self = .textArray
        case "timestamptz": self = .timestamp
        default:
            guard let labels = enumerations[name] else { return nil }
            self = .enumeration(name: name, labels: labels)
        }
    }

    /// Object id as in `pg_type`; enumerations have none before they are created, so that of `text` stands for them.
    var objectID: UInt32 {
        switch self {
        case .bigint: 20
        case .integer: 23
        case .smallint: 21
        case .real: 700
        case .double: 701
        case .boolean: 16
        case .text, .enumeration: 25
        case .textArray: 1009
        case .timestamp: 1184
        }
    }

    /// Size of a value in bytes; `nil` if it varies.
    private var size: Int? {
        switch self {
        case .bigint, .double, .timestamp: 8
        case .integer, .real: 4
        case .smallint: 2
        case .boolean: 1
        case .text, .textArray, .enumeration: nil
        }
    }

    /// Checks a value that `COPY` received.
    func check(_ field: ArraySlice<UInt8>) throws(PostgresFailure) {
        if let size, field.count != size {
            throw PostgresFailure(
                field.count < size ? "08P01" : "22P03",
                field.count < size ? "insufficient data left in message" : "incorrect binary data format")
        }
        switch self {
        case .text: try checkText(field)
        case .enumeration(let name, let labels):
            try checkText(field)
            let label = String(decoding: field, as: UTF8.self)
            guard labels.contains(label) else {
                throw PostgresFailure("22P02", "invalid input value for enum \(name): \"\(label)\"")
            }
        case .textArray:
            guard let elements = Self.elements(of: field) else {
                throw PostgresFailure("22P03", "improper binary format in array")
            }
            for element in elements { try checkText(element) }
        case .bigint, .integer, .smallint, .real, .double, .boolean, .timestamp: break
        }
    }

    private func checkText(_ text: ArraySlice<UInt8>) throws(PostgresFailure) {
        guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else {
            throw PostgresFailure("22021", "invalid byte sequence for encoding \"UTF8\"")
        }
    }

    /// Returns a checked value as text that is equal for equal values.
    func text(_ field: ArraySlice<UInt8>) -> String {
        switch self {
        case .bigint, .integer, .smallint: "\(field.signed)"
        case .real: "\(Float(bitPattern: UInt32(truncatingIfNeeded: field.signed)))"
        case .double: Self.text(Double(bitPattern: UInt64(bitPattern: field.signed)))
        case .boolean: field.first == 0 ? "f" : "t"
        case .timestamp: Self.unixMilliseconds(field.signed)
        case .text, .enumeration: String(decoding: field, as: UTF8.self)
        case .textArray:
            "{" + (Self.elements(of: field) ?? []).map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
                + "}"
        }
    }

    /// Returns a number as Postgres writes it.
    static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns Unix time in milliseconds, with three decimals if it is not whole.
    private static func unixMilliseconds(_ microsecondsSince2000: Int64) -> String {
        let microseconds = microsecondsSince2000 + PostgresClock.epochMicroseconds
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return rest == 0 ? "\(whole)" : "\(whole)+\(rest)us"
    }

    /// Returns the elements of an array of texts without nulls; `nil` if the format is invalid.
    private static func elements(of field: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var rest = field
        guard let dimensions = rest.removeInteger(), let nulls = rest.removeInteger(), let type = rest.removeInteger(),
            dimensions == 0 || dimensions == 1, nulls == 0, type == 25
        else { return nil }
        guard dimensions == 1 else { return rest.isEmpty ? [] : nil }
        guard let count = rest.removeInteger(), rest.removeInteger() != nil, count >= 0 else { return nil }
        var elements: [ArraySlice<UInt8>] = []
        for _ in 0..<count {
            guard let length = rest.removeInteger(), length >= 0, rest.count >= length else { return nil }
            elements.append(rest.prefix(length))
            rest.removeFirst(length)
        }
        return rest.isEmpty ? elements : nil
    }
}

/// Times of the server.
enum PostgresClock {
    /// Microseconds from the Unix epoch to Postgres' epoch, 2000-01-01.
    static let epochMicroseconds: Int64 = 946_684_800_000_000
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// Returns the days from 1970-01-01 to the day (UTC) of a stored time.
    static func day(of microsecondsSince2000: Int64) -> Int {
        Int((microsecondsSince2000 + epochMicroseconds).quotientRoundedDown(by: dayMicroseconds).quotient)
    }
}

extension ArraySlice<UInt8> {
    /// The bytes as a signed number, the highest byte first.
    var signed: Int64 {
        guard let first else { return 0 }
        return reduce(first & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int64($1) }
    }

    /// Removes and returns a number of four bytes; `nil` if there are too few bytes.
    fileprivate mutating func removeInteger() -> Int? {
        guard count >= 4 else { return nil }
        defer { removeFirst(4) }
        return Int(prefix(4).signed)
    }
}
