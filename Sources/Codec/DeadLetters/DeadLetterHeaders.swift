import Processing

/// What the headers of a dead letter say of it; the reading side of ``DeadLetter``.
package struct DeadLetterHeaders: Sendable, Equatable {
    /// The reason in capitals; `nil` where the record has no such header, because another program wrote it.
    package var reason: String?
    /// The field at fault; `nil` where it is the record as a whole.
    package var field: String?
    /// A sentence for people.
    package var message: String
    /// Where the record itself is: the topic without its prefix, the partition and the offset.
    package var topic: String?
    package var partition: Int32?
    package var offset: Int64?
    /// Of a batch, which fixes cannot be read, as JSON.
    package var unreadableFixes: String?
    /// What of the record is missing here because no topic takes so much.
    package var omitted: String?

    /// `headers`: by name.
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
