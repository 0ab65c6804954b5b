/// Error of a Kafka client; the message includes the remedy, if known.
package struct KafkaError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        case configuration
        case library
        case unreachable
        case timedOut
        /// Wrong credentials or certificate, or a missing permission.
        case access
        case topicMissing
        case recordTooLarge
        case fenced
        case offsetOutOfRange
        /// The group is rebalancing, or has rebalanced without this member.
        case groupChanged
        case other
    }

    package var code: Code
    /// One sentence, with the remedy if known.
    package var message: String
    /// librdkafka's name of the error (`_TRANSPORT`, `UNKNOWN_TOPIC_OR_PART`, …).
    package var libraryName: String?
    /// Whether the same call may succeed later.
    package var isRetriable: Bool
    /// Whether the client is unusable.
    package var isFatal: Bool

    package var description: String { libraryName.map { "\(message) (\($0))" } ?? message }

    package init(_ code: Code, _ message: String, isRetriable: Bool = false, isFatal: Bool = false) {
        self.code = code
        self.message = message
        self.isRetriable = isRetriable
        self.isFatal = isFatal
    }
}
