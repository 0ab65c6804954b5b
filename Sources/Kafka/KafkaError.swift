/// Error of a Kafka client; the message includes the remedy, if known.
package struct KafkaError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Unknown property or invalid value.
        case configuration
        /// The client library is too old.
        case library
        /// No broker responds.
        case unreachable
        /// The broker did not respond in time.
        case timedOut
        /// Wrong credentials or certificate, or a missing permission.
        case access
        /// The topic or partition does not exist.
        case topicMissing
        /// The record exceeds the broker's limit.
        case recordTooLarge
        /// Another process took over from this one.
        case fenced
        /// The broker does not have the offset.
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
