/// Logins, or secured connections, that brokers have refused since one last let the client in.
package struct KafkaAuthenticationFailure: Sendable {
    /// What the brokers say, and which settings to check.
    package var error: KafkaError
    /// When the first was refused.
    package var since: ContinuousClock.Instant
    /// When the last was refused.
    package var latest: ContinuousClock.Instant

    package init(error: KafkaError, since: ContinuousClock.Instant, latest: ContinuousClock.Instant) {
        self.error = error
        self.since = since
        self.latest = latest
    }

    /// The client library tells of the same refusal every thirty seconds, however often it tries; a client that has
    /// heard of none for longer is not answered at all.
    static let gap = Duration.seconds(40)

    /// Whether brokers still refuse, and are not simply away.
    func isCurrent(at now: ContinuousClock.Instant = .now) -> Bool { latest.duration(to: now) <= Self.gap }

    /// For how long brokers have refused, as far as they have been asked.
    package var duration: Duration { since.duration(to: latest) }

    /// Counts a refusal: one that follows the others, or the first of a new series.
    static func note(_ error: KafkaError, after last: KafkaAuthenticationFailure?, at now: ContinuousClock.Instant)
        -> KafkaAuthenticationFailure
    {
        let since = last.flatMap { $0.isCurrent(at: now) ? $0.since : nil }
        return KafkaAuthenticationFailure(error: error, since: since ?? now, latest: now)
    }
}
