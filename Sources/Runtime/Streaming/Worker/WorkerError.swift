import Kafka
import Processing

extension KafkaError: ClassifiedError {}

/// Error that stops a worker; its exit code identifies the cause.
package struct WorkerError: ClassifiedError {
    /// The raw value is the exit code of the process.
    package enum Code: Int32, Sendable {
        /// A topic does not exist.
        case topicMissing = 10
        /// Topics have different numbers of partitions.
        case partitionsMismatch = 11
        /// Another process took over.
        case fenced = 12
        /// The broker permanently rejects a record.
        case delivery = 13
        /// The changelog or the store continues at an offset that the topic does not have.
        case offsetsGone = 14
        /// The Kafka client library is too old.
        case library = 15
        /// The cluster rejects credentials, permissions or properties.
        case access = 16
        /// The store rejects an operation of the sink.
        case store = 17
        /// Any other error of the Kafka client.
        case kafka = 18
        /// The states of a partition were written by an incompatible release.
        case stateVersion = 19
    }

    package var code: Code
    package var message: String
    package var isRetriable: Bool { false }
    package var exitCode: Int32 { code.rawValue }
    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Wraps an unrecoverable Kafka error.
    package init(_ error: KafkaError) {
        let code: Code =
            switch error.code {
            case .topicMissing: .topicMissing
            case .fenced: .fenced
            case .recordTooLarge: .delivery
            case .offsetOutOfRange: .offsetsGone
            case .library: .library
            case .access, .configuration: .access
            case .unreachable, .timedOut, .groupChanged, .other: .kafka
            }
        self.init(code, error.description)
    }
}

/// Error that ends a wait because the worker was stopped; the worker's loop handles it.
struct WorkerInterruption: Error {}
