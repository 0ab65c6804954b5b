import Model
import Support

/// What a driver's verdicts without a position say of it, after its newest point.
struct LaterVerdicts {
    /// The newest of them.
    var event: EventID
    var receivedAt: Timestamp
    /// Of the first of those in a row with its standing: what is written does not depend on where batches end.
    var risk: DriverRisk
    /// That first one.
    var since: EventID
    /// Whether the verdicts before them in the batch have another standing.
    var hasChanged = false
    /// Whether any of them leaves the driver out of the nearest ones.
    var wasLeftOut: Bool

    /// Goes on from what was said before: only a verdict that makes the driver flagged or a suspect, or no longer so,
    /// changes that.
    mutating func follow(_ before: DriverRisk, since event: EventID) {
        guard risk.hasStanding(of: before) else {
            hasChanged = true
            return
        }
        risk = before
        since = event
    }
}
