/// Logins or TLS handshakes that brokers have rejected since the last successful connection.
package struct KafkaAuthenticationFailure: Sendable {
    /// The last error, with the settings to check.
    package var error: KafkaError
    /// Time of the first rejection.
    package var since: ContinuousClock.Instant
    /// Time of the last rejection.
    package var latest: ContinuousClock.Instant

    /// librdkafka reports the same rejection every 30 s; without a report for longer, no broker answers at all.
    static let gap = Duration.seconds(40)

    /// Whether brokers currently reject, rather than being unavailable.
    func isCurrent(at now: ContinuousClock.Instant = .now) -> Bool { latest.duration(to: now) <= Self.gap }

    /// Time between the first and the last rejection.
    package var duration: Duration { since.duration(to: latest) }

    /// Adds a rejection to `last`, or starts a new series.
    static func adding(
        _ error: KafkaError, to last: KafkaAuthenticationFailure?, at now: ContinuousClock.Instant
    ) -> KafkaAuthenticationFailure {
        let since = last.flatMap { $0.isCurrent(at: now) ? $0.since : nil }
        return KafkaAuthenticationFailure(error: error, since: since ?? now, latest: now)
    }
}
