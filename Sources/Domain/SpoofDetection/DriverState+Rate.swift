import Support

extension DriverState.Rate {
    enum Allowance {
        case allowed
        /// Over the off-trip limit, and the fix has no trip id: evaluated and marked throttled.
        case overOffTripLimit
        /// Over the on-trip limit: not evaluated.
        case overLimit
    }

    /// Acquires a token from the on-trip bucket and, for a fix without a trip id, from the off-trip bucket.
    @inline(__always)
    mutating func acquire(receivedAt: Timestamp, isOnTrip: Bool, _ settings: TrackingSettings.Rate) -> Allowance {
        fill(until: receivedAt, settings)
        // The margin prevents rounding from throttling a stream at exactly the allowed rate.
        let limit = Float(settings.burst) + 0.001
        guard spent + 1 <= limit else { return .overLimit }
        spent += 1
        guard !isOnTrip else { return .allowed }
        guard offTripSpent + 1 <= limit else { return .overOffTripLimit }
        offTripSpent += 1
        return .allowed
    }

    @inline(__always) private mutating func fill(until receivedAt: Timestamp, _ settings: TrackingSettings.Rate) {
        guard spent > 0 || offTripSpent > 0 else {
            at = ShortTime(receivedAt)
            return
        }
        let elapsed = at.seconds(until: receivedAt)
        guard elapsed > 0 else { return }
        spent = max(0, spent - Float(elapsed * settings.onTripPerSecond))
        offTripSpent = max(0, offTripSpent - Float(elapsed * settings.offTripPerSecond))
        at = ShortTime(receivedAt)
    }
}
