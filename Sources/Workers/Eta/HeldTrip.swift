import Domain
import Support

/// Active or settling trip of a driver, with its input progress.
final class HeldTrip {
    let trip: ActiveTrip
    /// The newest processed verdict; verdicts up to it, which a restore rereads, are skipped.
    var seen: EventID?
    /// Stream time at which the settlement of the ended trip times out.
    var settlesUntil = Timestamp(milliseconds: .min)
    /// Distance in the last record of the ended trip.
    var publishedMeters = 0.0

    /// `seen`: the partition's newest location event when the trip began; verdicts up to it are skipped.
    init(_ trip: ActiveTrip, seen: EventID?) {
        self.trip = trip
        self.seen = seen
    }
}
