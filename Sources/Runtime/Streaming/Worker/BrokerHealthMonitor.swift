import Kafka
import Logging

/// Detector of unavailable brokers and rejected logins, which logs each change once.
package struct BrokerHealthMonitor {
    /// Time of rejected logins after which the worker stops.
    ///
    /// Long enough to correct a broker. A new password requires a restart, because it is read only at start.
    package static let rejectionLimit = Duration.seconds(60)

    private static let probeMilliseconds = 500

    private let logger: Logger
    private(set) var isDisconnected = false
    private var failure: KafkaAuthenticationFailure?
    private var nextProbe = ContinuousClock.now

    package init(logger: Logger) { self.logger = logger }

    /// The current problem, as one sentence for an operator.
    package var problem: String? {
        if let failure { return "The broker rejects this worker's login: \(failure.error)" }
        return isDisconnected ? "No broker answers." : nil
    }

    /// Checks the connection; while it is down, probes it once per second, which blocks for up to 0.5 s.
    /// - Returns: whether the state changed.
    package mutating func check(_ client: some KafkaQueries) -> Bool {
        let isDown = client.isDisconnected
        let changed = update(isDisconnected: isDown)
        guard isDown, ContinuousClock.now >= nextProbe else { return changed }
        nextProbe = .now + .seconds(1)
        return client.probe(timeoutMilliseconds: Self.probeMilliseconds) ? update(isDisconnected: false) : changed
    }

    /// Records a client's current authentication failure; `nil` for none.
    /// - Returns: whether the state changed.
    /// - Throws: ``WorkerError`` if the login has been rejected for ``rejectionLimit``.
    package mutating func record(_ failure: KafkaAuthenticationFailure?) throws(WorkerError) -> Bool {
        let changed = (failure == nil) != (self.failure == nil)
        self.failure = failure
        guard let failure else {
            if changed { logger.notice("Broker accepts the login again.") }
            return changed
        }
        let seconds = Self.rejectionLimit.components.seconds
        // `duration` ends at the last rejection, because an idle client does not notice that the login works again.
        guard failure.duration < Self.rejectionLimit else {
            throw WorkerError(
                .access,
                "The broker has rejected this worker's login for \(seconds) s. \(failure.error) If the password was "
                    + "changed, set the new one and restart the worker.")
        }
        if changed {
            logger.error(
                "Broker rejects the login; exiting if it persists.",
                metadata: .of([.error: "\(failure.error)", .seconds: "\(seconds)"]))
        }
        return changed
    }

    private mutating func update(isDisconnected: Bool) -> Bool {
        guard isDisconnected != self.isDisconnected else { return false }
        self.isDisconnected = isDisconnected
        if isDisconnected {
            logger.warning("No broker answers; retrying.")
        } else {
            logger.notice("Broker available again.")
        }
        return true
    }
}
