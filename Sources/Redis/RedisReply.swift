import CHiredis

package enum RedisReply: Sendable, Equatable {
    case status(String)
    case integer(Int64)
    case bytes([UInt8])
    /// Null: the key or value does not exist.
    case missing
    case array([RedisReply])
    case failure(RedisError)

    /// The text of a status, bytes or an integer; `nil` for other replies.
    package var text: String? {
        switch self {
        case .status(let text): text
        case .integer(let number): String(number)
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .missing, .array, .failure: nil
        }
    }

    /// The reply as an integer, including integers sent as text; `nil` for other replies.
    package var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes, .status: text.flatMap(Int64.init)
        case .missing, .array, .failure: nil
        }
    }

    /// The elements of an array; empty for other replies.
    package var elements: [RedisReply] {
        switch self {
        case .array(let elements): elements
        case .status, .integer, .bytes, .missing, .failure: []
        }
    }
}

/// Result of `MULTI … EXEC`.
package enum RedisTransaction: Sendable, Equatable {
    /// All commands were executed; Redis does not roll back if some fail.
    case executed(failures: [RedisError])
    /// No command was executed, because a watched key has changed.
    case conflict
}

extension RedisReply {
    /// Copies a reply of hiredis.
    init(_ reply: UnsafePointer<redisReply>) {
        let value = reply.pointee
        switch value.type {
        case REDIS_REPLY_STATUS: self = .status(value.string)
        case REDIS_REPLY_INTEGER: self = .integer(value.integer)
        case REDIS_REPLY_STRING:
            self = .bytes(Array(UnsafeRawBufferPointer(start: value.str, count: value.len)))
        case REDIS_REPLY_ARRAY:
            self = .array(
                (0..<value.elements).map { index in
                    value.element[index].map { RedisReply($0) } ?? .missing
                })
        case REDIS_REPLY_ERROR: self = .failure(RedisError(reply: value.string))
        default: self = .missing
        }
    }
}

extension redisReply {
    /// The text of a status, error or string.
    var string: String { String(decoding: UnsafeRawBufferPointer(start: str, count: len), as: UTF8.self) }
}
