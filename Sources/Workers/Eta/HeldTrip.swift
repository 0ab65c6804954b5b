import Domain
import Support

/// Trip of a partition with its input progress.
final class HeldTrip {
    let trip: ActiveTrip
    /// The last processed verdict; earlier ones, which a restore rereads, are skipped.
    var seen: EventID?
    /// Stream time at which the settlement of the ended trip times out.
    var settlesUntil = Timestamp(milliseconds: .min)
    /// Distance in the last record of the ended trip.
    var publishedMeters = 0.0

    /// `seen` is the partition's last verdict when the trip began; earlier verdicts are ignored.
    init(_ trip: ActiveTrip, seen: EventID?) {
        self.trip = trip
        self.seen = seen
    }
}
