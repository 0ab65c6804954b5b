import Domain
import Support

/// Active or settling trip of a driver, with its input progress.
final class TripEntry {
    let trip: ActiveTrip
    /// The newest processed verdict; verdicts up to this one are skipped when reread by a restore.
    var seen: EventID?
    /// Stream time at which the settlement of the ended trip times out.
    var settlesUntil = Timestamp(milliseconds: .min)
    /// Driven distance in the last record of the ended trip, in metres.
    var publishedMeters = 0.0

    /// `seen`: the newest location event at the start of the trip; verdicts up to it are skipped.
    init(_ trip: ActiveTrip, seen: EventID?) {
        self.trip = trip
        self.seen = seen
    }
}
