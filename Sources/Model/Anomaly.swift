import Support

/// What a partition remembers of a driver whose positions went wrong lately: where, when, and how much it was blamed.
package struct Anomaly: Sendable, Equatable {
    /// Where the vehicle was believed to be.
    package var origin = GridPoint()
    /// Where its fix put it.
    package var destination = GridPoint()
    /// Stream time of the last fix that was wrong.
    package var at: Timestamp
    /// Stream time since which ``recentBlame`` was put on the driver.
    package var since: Timestamp
    /// Evidence put on the driver since ``since``, as far as it had not faded at ``at``.
    package var recentBlame: Float = 0
    /// The same for the window before ``since``.
    package var olderBlame: Float = 0

    /// The first anomaly of a driver, without blame.
    package init(at time: Timestamp) {
        at = time
        since = time
    }

    /// Carries on at `now`: lets the blame fade, and forgets what is older than two windows.
    package mutating func proceed(to now: Timestamp, windowSeconds: Double, halfLifeSeconds: Double) {
        if now.seconds(since: at) > windowSeconds {
            self = Anomaly(at: now)
            return
        }
        let rest = Float(Elementary.exp2(-now.seconds(since: at) / halfLifeSeconds))
        recentBlame *= rest
        olderBlame *= rest
        if now.seconds(since: since) > windowSeconds {
            olderBlame = recentBlame
            recentBlame = 0
            since = now
        }
        at = now
    }

    /// What is left at `now` of the blame of the last one to two windows.
    package func blame(at now: Timestamp, halfLifeSeconds: Double) -> Double {
        Double(recentBlame + olderBlame) * Elementary.exp2(-max(0, now.seconds(since: at)) / halfLifeSeconds)
    }

    /// Forgets what the driver was blamed for; that it went wrong still counts.
    package mutating func pardon() {
        recentBlame = 0
        olderBlame = 0
    }
}
