import Kafka
import Logging

/// Notices when the brokers go away and come back, and says so once per change.
struct BrokerWatch {
    private let logger: Logger
    private(set) var isCut = false
    private var nextProbe = ContinuousClock.now

    init(logger: Logger) { self.logger = logger }

    /// Looks after the connection; cheap while all is well.
    /// - Returns: whether the state changed.
    mutating func look(at consumer: KafkaConsumer) -> Bool {
        guard consumer.isCut else { return note(isCut: false) }
        let changed = note(isCut: true)
        guard ContinuousClock.now >= nextProbe else { return changed }
        nextProbe = .now + .seconds(1)
        return consumer.probe(timeoutMilliseconds: 500) ? note(isCut: false) : changed
    }

    private mutating func note(isCut: Bool) -> Bool {
        guard isCut != self.isCut else { return false }
        self.isCut = isCut
        if isCut {
            logger.warning("No broker answers; the worker waits and goes on where it is.")
        } else {
            logger.notice("The broker answers again.")
        }
        return true
    }
}
