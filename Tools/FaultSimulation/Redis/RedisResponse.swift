/// A reply of the simulated Redis.
enum RedisResponse: Equatable {
    case status(String)
    /// An error, without the leading minus sign.
    case error(String)
    case integer(Int64)
    case bytes([UInt8])
    /// Null in place of a value.
    case null
    /// Null in place of an array: a transaction that was not executed.
    case nullArray
    case array([RedisResponse])

    static let ok = RedisResponse.status("OK")

    static func text(_ text: String) -> RedisResponse { .bytes(Array(text.utf8)) }

    static func values(_ values: [[UInt8]]) -> RedisResponse { .array(values.map { .bytes($0) }) }

    /// Appends the reply in Redis' protocol, version 2.
    func write(into output: inout [UInt8]) {
        switch self {
        case .status(let text): Self.append("+\(text)\r\n", to: &output)
        case .error(let text): Self.append("-\(text)\r\n", to: &output)
        case .integer(let number): Self.append(":\(number)\r\n", to: &output)
        case .bytes(let bytes):
            Self.append("$\(bytes.count)\r\n", to: &output)
            output += bytes
            Self.append("\r\n", to: &output)
        case .null: Self.append("$-1\r\n", to: &output)
        case .nullArray: Self.append("*-1\r\n", to: &output)
        case .array(let elements):
            Self.append("*\(elements.count)\r\n", to: &output)
            for element in elements { element.write(into: &output) }
        }
    }

    private static func append(_ text: String, to output: inout [UInt8]) { output += text.utf8 }
}

/// An error reply to one command.
struct RedisFailure: Error {
    let text: String

    init(_ text: String) { self.text = text }

    static let wrongType = RedisFailure("WRONGTYPE Operation against a key holding the wrong kind of value")
    static let notAnInteger = RedisFailure("ERR value is not an integer or out of range")
    static let notAFloat = RedisFailure("ERR value is not a valid float")
    static let syntax = RedisFailure("ERR syntax error")
    static let invalidCursor = RedisFailure("ERR invalid cursor")
    static let invalidStreamID = RedisFailure("ERR Invalid stream ID specified as stream command argument")
    /// An option that Redis has and the simulation lacks.
    static let unsupported = RedisFailure("ERR The simulation does not support an option of this command")

    static func argumentCount(of name: String) -> RedisFailure {
        RedisFailure("ERR wrong number of arguments for '\(name.lowercased())' command")
    }
}
