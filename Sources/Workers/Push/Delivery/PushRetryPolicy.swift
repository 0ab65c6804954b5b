/// How often and when a request is tried again.
package struct PushRetryPolicy: Sendable {
    /// Attempts for one request.
    package var maximumAttempts = 5
    /// The wait after the first attempt; it doubles from there.
    package var shortest = Duration.milliseconds(500)
    package var longest = Duration.seconds(8)
    /// How long one notification may keep its partition waiting, from its first attempt to its last.
    package var longestHold = Duration.seconds(150)

    package init() {}

    /// Limits the hold to a quarter of the age at which notifications are dropped.
    ///
    /// What one notification waits is the age of all behind it in its partition.
    package init(maximumAge: Duration) { longestHold = min(longestHold, maximumAge / 4) }

    /// Between half and all of the doubled wait, so that many requests do not come back at once.
    func wait(afterAttempt attempt: Int) -> Duration {
        min(longest, shortest * (1 << min(attempt - 1, 16))) * Double.random(in: 0.5...1)
    }
}
