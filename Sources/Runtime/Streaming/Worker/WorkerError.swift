import Kafka
import Processing

/// Why a worker stopped for good; its exit code tells operators and tests apart what happened.
package struct WorkerError: ClassifiedError {
    /// The raw value is the exit code of the process.
    package enum Code: Int32, Sendable {
        /// A topic does not exist.
        case topicMissing = 10
        /// Topics that must have the same number of partitions do not.
        case partitionsMismatch = 11
        /// Another process took over.
        case fenced = 12
        /// The broker refuses a record, now and for ever.
        case delivery = 13
        /// The changelog says to go on at an offset that its input topic never had.
        case offsetsGone = 14
        /// The Kafka client library is too old.
        case library = 15
        /// The cluster refuses this client: credentials, permissions or properties.
        case access = 16
        /// The store refuses what the sink does.
        case store = 17
        /// Any other error of the Kafka client.
        case kafka = 18
        /// A release that this one cannot read has written the states of a partition.
        case stateVersion = 19
    }

    package var code: Code
    /// One sentence that names the fix.
    package var message: String
    package var isRetriable: Bool { false }
    package var isFatal: Bool { true }
    package var exitCode: Int32 { code.rawValue }
    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A Kafka error after which the worker cannot go on.
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

/// The worker was told to stop while it waited for something; never leaves the worker.
struct WorkerInterruption: Error {}
