import Kafka
import Logging

/// Notices when the brokers go away, refuse the worker's login, and come back, and says so once per change.
package struct BrokerHealthMonitor {
    /// A worker whose login is refused, and that no broker lets in, ends after this long.
    ///
    /// Long enough for a mistake at the broker to be mended; after that another start, which reads the password again,
    /// is the only way on.
    static let refusalLimit = Duration.seconds(60)

    private static let probeMilliseconds = 500

    private let logger: Logger
    private let refusalLimit: Duration
    private(set) var isCut = false
    private var refusal: KafkaAuthenticationFailure?
    private var nextProbe = ContinuousClock.now

    package init(logger: Logger) { self.init(logger: logger, refusalLimit: Self.refusalLimit) }

    init(logger: Logger, refusalLimit: Duration) {
        self.logger = logger
        self.refusalLimit = refusalLimit
    }

    /// What is wrong, as one sentence for an operator; `nil` while nothing is.
    package var trouble: String? {
        if let refusal { return "The broker refuses the login of this worker: \(refusal.error)" }
        return isCut ? "No broker answers." : nil
    }

    /// Looks after the connection; cheap while all is well.
    /// - Returns: whether the state changed.
    mutating func look(at consumer: KafkaConsumer) -> Bool {
        look(isCut: consumer.isCut) { consumer.probe(timeoutMilliseconds: Self.probeMilliseconds) }
    }

    /// Looks after the connection of a producer, and blocks for half a second at most once a second while it is cut.
    /// - Returns: whether the state changed.
    package mutating func look(at producer: KafkaProducer) -> Bool {
        look(isCut: producer.isCut) { producer.probe(timeoutMilliseconds: Self.probeMilliseconds) }
    }

    private mutating func look(isCut: Bool, probe: () -> Bool) -> Bool {
        guard isCut else { return note(isCut: false) }
        let changed = note(isCut: true)
        guard ContinuousClock.now >= nextProbe else { return changed }
        nextProbe = .now + .seconds(1)
        return probe() ? note(isCut: false) : changed
    }

    /// Takes in what a client says of its logins.
    /// - Returns: whether the state changed.
    /// - Throws: ``WorkerError`` when the login has been refused for long.
    package mutating func note(_ refusal: KafkaAuthenticationFailure?) throws(WorkerError) -> Bool {
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
