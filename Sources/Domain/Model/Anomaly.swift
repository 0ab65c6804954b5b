import Support

/// A driver's recent position anomaly, with the evidence that it caused.
package struct Anomaly: Sendable, Equatable {
    /// The vehicle's last accepted position.
    package var origin = GridPoint()
    /// The position reported by the last anomalous fix.
    package var destination = GridPoint()
    /// Stream time of the last anomalous fix.
    package var at: Timestamp
    /// Stream time at which ``recentEvidence`` begins.
    package var since: Timestamp
    /// Evidence added since ``since``, in log-odds, decayed to ``at``.
    package var recentEvidence: Float = 0
    /// Evidence of the window before ``since``, in log-odds, also decayed to ``at``.
    package var olderEvidence: Float = 0

    package init(at time: Timestamp) {
        at = time
        since = time
    }

    /// Decays the evidence to `now`; drops it after two windows, or after one window without anomalies.
    package mutating func advance(to now: Timestamp, windowSeconds: Double, halfLifeSeconds: Double) {
        if now.seconds(since: at) > windowSeconds {
            self = Anomaly(at: now)
            return
        }
        let decay = Float(Elementary.exp2(-now.seconds(since: at) / halfLifeSeconds))
        recentEvidence *= decay
        olderEvidence *= decay
        if now.seconds(since: since) > windowSeconds {
            olderEvidence = recentEvidence
            recentEvidence = 0
            since = now
        }
        at = now
    }

    /// Returns the evidence of the last one to two windows, in log-odds, decayed to `now`.
    package func evidence(at now: Timestamp, halfLifeSeconds: Double) -> Double {
        Double(recentEvidence + olderEvidence) * Elementary.exp2(-max(0, now.seconds(since: at)) / halfLifeSeconds)
    }

    /// Removes the evidence; the anomaly still counts towards interference.
    package mutating func clearEvidence() {
        recentEvidence = 0
        olderEvidence = 0
    }
}
