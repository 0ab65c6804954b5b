import ArrivalTimes
import Model
import Support

/// A trip of a partition, and how far the partition's verdicts are contained in its progress.
final class HeldTrip {
    let trip: ActiveTrip
    /// The last verdict taken in; earlier ones come again when the partition is restored, and change nothing.
    var seen: EventID?
    /// The partition's time up to which late fixes of the ended trip count.
    var settlesUntil = Timestamp(milliseconds: .min)
    /// The distance that the last record of the ended trip carried.
    var publishedMeters = 0.0

    /// `seen` is the partition's last verdict when the trip began: what came before it is none of the trip's business.
    init(_ trip: ActiveTrip, seen: EventID?) {
        self.trip = trip
        self.seen = seen
    }
}
