/// Retry policy for push requests.
struct PushRetryPolicy: Sendable {
    var maximumAttempts = 5
    /// Wait after the first attempt; doubles after each further attempt.
    var shortest = Duration.milliseconds(500)
    var longest = Duration.seconds(8)
    /// Maximum time from the first to the last attempt of a notification, for which its partition waits.
    var longestHold = Duration.seconds(150)

    init() {}

    /// Limits the hold to a quarter of `maximumAge`, because it delays the notifications behind in the partition.
    init(maximumAge: Duration) { longestHold = min(longestHold, maximumAge / 4) }

    /// Returns 50 to 100 % of the doubled wait; the jitter spreads retries of many requests.
    func wait(afterAttempt attempt: Int) -> Duration {
        min(longest, shortest * (1 << min(attempt - 1, 16))) * Double.random(in: 0.5...1)
    }
}

/// Delivery of one request, with its retries.
struct PushJob: Sendable {
    let request: PushRequest
    /// Time of the first outcome that asks for a retry.
    private var postponedAt: ContinuousClock.Instant?
    /// Number of attempts that have to be repeated.
    private(set) var attempts = 0
    /// Earliest time of the next attempt.
    private(set) var notBefore = ContinuousClock.now
    private(set) var result: Result?

    init(_ request: PushRequest) { self.request = request }

    enum Result: Sendable, Equatable {
        case delivered
        case unregistered
        case refused(reason: String)
        /// All retries failed.
        case abandoned(reason: String)
    }

    mutating func apply(_ outcome: PushOutcome, _ policy: PushRetryPolicy) {
        switch outcome {
        case .delivered: result = .delivered
        case .unregistered: result = .unregistered
        case .refused(let reason): result = .refused(reason: reason)
        case .loginExpired: postpone(.zero, "the login has expired", policy)
        case .later(let seconds, let reason): postpone(.seconds(seconds), reason, policy)
        }
    }

    private mutating func postpone(_ wait: Duration, _ reason: String, _ policy: PushRetryPolicy) {
        attempts += 1
        guard attempts < policy.maximumAttempts else {
            result = .abandoned(reason: reason)
            return
        }
        let now = ContinuousClock.now
        let since = postponedAt ?? now
        postponedAt = since
        let next = now + max(wait, policy.wait(afterAttempt: attempts))
        guard next <= since + policy.longestHold else {
            result = .abandoned(reason: "\(reason), and the next attempt would be too late")
            return
        }
        notBefore = next
    }
}
