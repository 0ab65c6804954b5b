struct PushRetryPolicy: Sendable {
    var maximumAttempts = 5
    /// Wait after the first attempt, before jitter; doubles after each further attempt, up to ``longest``.
    var shortest = Duration.milliseconds(500)
    var longest = Duration.seconds(8)
    /// Maximum time from the first failed attempt of a notification to the last; the partition waits meanwhile.
    var maximumRetryTime = Duration.seconds(150)

    init() {}

    /// Limits ``maximumRetryTime`` to a quarter of `maximumAge`, as other notifications wait meanwhile.
    init(maximumAge: Duration) { maximumRetryTime = min(maximumRetryTime, maximumAge / 4) }

    /// Returns the wait reduced by a random 0 to 50 %; this jitter spreads the retries of many requests.
    func wait(afterAttempt attempt: Int) -> Duration {
        min(longest, shortest * (1 << min(attempt - 1, 16))) * Double.random(in: 0.5...1)
    }
}

/// Delivery of one request, with its retries.
struct PushJob: Sendable {
    let request: PushRequest
    /// Time of the first attempt that failed temporarily.
    private var postponedAt: ContinuousClock.Instant?
    /// Number of attempts that failed temporarily.
    private(set) var attempts = 0
    /// Earliest time of the next attempt.
    private(set) var notBefore = ContinuousClock.now
    private(set) var result: Result?

    init(_ request: PushRequest) { self.request = request }

    enum Result: Sendable, Equatable {
        case delivered
        case unregistered
        case refused(reason: String)
        /// All attempts failed, or the next attempt would be too late.
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
        guard next <= since + policy.maximumRetryTime else {
            result = .abandoned(reason: "\(reason), and the next attempt would be too late")
            return
        }
        notBefore = next
    }
}
