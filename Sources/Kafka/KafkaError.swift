/// What a Kafka client could not do, and what to do about it.
package struct KafkaError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// A property is unknown or its value is not allowed.
        case configuration
        /// The client library is too old.
        case library
        /// No broker answers at present.
        case unreachable
        /// The broker took too long.
        case timedOut
        /// User, password, certificate or permission.
        case access
        /// The topic or partition does not exist.
        case topicMissing
        /// The record is larger than the broker takes.
        case recordTooLarge
        /// Another process took over from this one.
        case fenced
        /// The position asked for is not among those the broker holds.
        case offsetOutOfRange
        /// The group moved on without this member, or its members change at the moment.
        case groupChanged
        /// Anything else.
        case other
    }

    package var code: Code
    /// One sentence that names the fix where there is one.
    package var message: String
    /// librdkafka's name of the error (`_TRANSPORT`, `UNKNOWN_TOPIC_OR_PART`, …) for logs; `nil` where it has none.
    package var libraryName: String?
    /// The same call may succeed later without any intervention.
    package var isRetriable: Bool
    /// The client cannot go on.
    package var isFatal: Bool

    package var description: String { libraryName.map { "\(message) (\($0))" } ?? message }

    package init(_ code: Code, _ message: String, isRetriable: Bool = false, isFatal: Bool = false) {
        self.code = code
        self.message = message
        self.isRetriable = isRetriable
        self.isFatal = isFatal
    }
}
