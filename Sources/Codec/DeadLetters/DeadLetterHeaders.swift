import Processing

/// Headers that ``DeadLetter`` writes, parsed.
package struct DeadLetterHeaders: Sendable, Equatable {
    /// The reason in capitals; `nil` if another program wrote the record without this header.
    package var reason: String?
    package var field: String?
    package var message: String
    /// The original record's topic, without its prefix.
    package var topic: String?
    package var partition: Int32?
    package var offset: Int64?
    package var unreadableFixes: String?
    /// Parts of the record that were too large for the dead letter, such as `key,value`.
    package var omitted: String?

    package init(_ headers: [String: String]) {
        reason = headers["__connect.errors.exception.class.name"]
        message = headers["__connect.errors.exception.message"] ?? ""
        topic = headers["__connect.errors.topic"]
        partition = headers["__connect.errors.partition"].flatMap { Int32($0) }
        offset = headers["__connect.errors.offset"].flatMap { Int64($0) }
        unreadableFixes = headers["\(RecordHeader.unreadableFixes)"]
        omitted = headers["\(RecordHeader.omitted)"]
        field = headers["\(RecordHeader.field)"]
    }
}
