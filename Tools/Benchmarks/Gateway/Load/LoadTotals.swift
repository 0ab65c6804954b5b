import SightlineCLI

/// What clients have seen, in all.
struct LoadTotals: Sendable {
    /// Sockets that are open and have their subscription.
    var subscribed = 0
    /// Updates received.
    var updates = 0
    /// Updates that came a second time, or after a later one.
    var repeated = 0
    /// Updates that never came: the next one of the channel came without them.
    var missing = 0
    /// Subscriptions that began with the state in full, and such that began with what was missed.
    var refreshed = 0
    var resumed = 0
    /// Attempts to connect that failed, as while the server is away.
    var failedAttempts = 0
    /// Connections that ended.
    var ended = 0
    /// Answers that ask for another attempt.
    var tryAgain = 0
    /// Errors that the server told, and messages that clients cannot read.
    var errors = 0
    var firstError: String?
    /// From the time at which an update was due to be sent to its receipt.
    var latencies = LatencyHistogram()

    static func + (left: LoadTotals, right: LoadTotals) -> LoadTotals {
        var sum = left
        sum.subscribed += right.subscribed
        sum.updates += right.updates
        sum.repeated += right.repeated
        sum.missing += right.missing
        sum.refreshed += right.refreshed
        sum.resumed += right.resumed
        sum.failedAttempts += right.failedAttempts
        sum.ended += right.ended
        sum.tryAgain += right.tryAgain
        sum.errors += right.errors
        sum.firstError = left.firstError ?? right.firstError
        sum.latencies.add(right.latencies)
        return sum
    }

    /// Forgets what has happened, and not what is.
    mutating func reset() {
        let subscribed = subscribed
        self = LoadTotals()
        self.subscribed = subscribed
    }

    mutating func note(error: String) {
        errors += 1
        firstError = firstError ?? error
    }
}
