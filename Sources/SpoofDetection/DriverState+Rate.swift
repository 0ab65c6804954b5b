import Model
import Support

/// The driver's rate.
extension DriverState.Rate {
    /// What becomes of a fix by the driver's rate.
    enum Allowance {
        /// Within the rate.
        case live
        /// Within the rate on a trip only, and the device names no trip: judged, and marked as beyond the rate.
        case heldBack
        /// Beyond the rate on a trip: not judged.
        case refused
    }

    /// Takes a token for a fix received at `receivedAt` out of the bucket of the rate on a trip, and, where the device
    /// names no trip, out of that of the rate off a trip.
    @inline(__always)
    mutating func take(receivedAt: Timestamp, isOnTrip: Bool, _ settings: TrackingSettings.Rate) -> Allowance {
        fill(until: receivedAt, settings)
        // The margin keeps rounding from costing a stream at exactly the allowed rate a fix.
        let most = Float(settings.burst) + 0.001
        guard spent + 1 <= most else { return .refused }
        spent += 1
        guard !isOnTrip else { return .live }
        guard offTripSpent + 1 <= most else { return .heldBack }
        offTripSpent += 1
        return .live
    }

    @inline(__always)
    private mutating func fill(until receivedAt: Timestamp, _ settings: TrackingSettings.Rate) {
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
