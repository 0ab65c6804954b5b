/// Series of logins or TLS handshakes that brokers have rejected.
package struct KafkaAuthenticationFailure: Sendable {
    /// The last error, with the settings to check.
    package var error: KafkaError
    /// Time of the first rejection.
    package var since: ContinuousClock.Instant
    /// Time of the last rejection.
    package var latest: ContinuousClock.Instant

    /// Maximum time between rejections of a series; librdkafka repeats a rejection every 30 s while brokers answer.
    static let gap = Duration.seconds(40)

    /// Returns whether the last rejection is recent; if not, brokers have stopped answering.
    func isCurrent(at now: ContinuousClock.Instant = .now) -> Bool { latest.duration(to: now) <= Self.gap }

    /// Time between the first and the last rejection.
    package var duration: Duration { since.duration(to: latest) }

    /// Returns the series `last` with one more rejection, or a new series if `last` is over.
    static func adding(
        _ error: KafkaError, to last: KafkaAuthenticationFailure?, at now: ContinuousClock.Instant
    ) -> KafkaAuthenticationFailure {
        let since = last.flatMap { $0.isCurrent(at: now) ? $0.since : nil }
        return KafkaAuthenticationFailure(error: error, since: since ?? now, latest: now)
    }
}
