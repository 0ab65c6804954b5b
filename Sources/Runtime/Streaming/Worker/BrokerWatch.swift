import Kafka
import Logging
import Telemetry

/// Notices when the brokers go away, refuse the worker's login, and come back, and says so once per change.
struct BrokerWatch {
    /// A worker whose login is refused, and that no broker lets in, ends after this long.
    ///
    /// Long enough for a mistake at the broker to be mended; after that another start, which reads the password again,
    /// is the only way on.
    static let refusalLimit = Duration.seconds(60)

    private let logger: Logger
    private let refusalLimit: Duration
    private(set) var isCut = false
    private var refusal: KafkaRefusal?
    private var nextProbe = ContinuousClock.now

    init(logger: Logger, refusalLimit: Duration = Self.refusalLimit) {
        self.logger = logger
        self.refusalLimit = refusalLimit
    }

    /// What is wrong, as one sentence for an operator; `nil` while nothing is.
    var trouble: String? {
        if let refusal { return "The broker refuses the login of this worker: \(refusal.error)" }
        return isCut ? "No broker answers." : nil
    }

    /// Looks after the connection; cheap while all is well.
    /// - Returns: whether the state changed.
    mutating func look(at consumer: KafkaConsumer) -> Bool {
        guard consumer.isCut else { return note(isCut: false) }
        let changed = note(isCut: true)
        guard ContinuousClock.now >= nextProbe else { return changed }
        nextProbe = .now + .seconds(1)
        return consumer.probe(timeoutMilliseconds: 500) ? note(isCut: false) : changed
    }

    /// Takes in what a client says of its logins.
    /// - Returns: whether the state changed.
    /// - Throws: ``WorkerError`` when the login has been refused for long.
    mutating func note(_ refusal: KafkaRefusal?) throws(WorkerError) -> Bool {
        let changed = (refusal == nil) != (self.refusal == nil)
        self.refusal = refusal
        guard let refusal else {
            if changed { logger.notice("The broker does not refuse the login any more.") }
            return changed
        }
        let seconds = refusalLimit.components.seconds
        // From the first to the last one: a client that has nothing to send does not hear that it is let in again.
        guard refusal.duration < refusalLimit else {
            throw WorkerError(
                .access,
                "The broker has refused the login of this worker for \(seconds) s. \(refusal.error) If the password was "
                    + "changed, give the worker the new one and restart the worker.")
        }
        if changed {
            logger.error(
                "The broker refuses the login of this worker; the worker ends if that lasts.",
                metadata: .of([.error: "\(refusal.error)", .seconds: "\(seconds)"]))
        }
        return changed
    }

    private mutating func note(isCut: Bool) -> Bool {
        guard isCut != self.isCut else { return false }
        self.isCut = isCut
        if isCut {
            logger.warning("No broker answers; the worker retries, and resumes when one does.")
        } else {
            logger.notice("The broker answers again.")
        }
        return true
    }
}
