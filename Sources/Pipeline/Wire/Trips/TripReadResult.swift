import Tracking

/// What a record of `trips` turned out to be.
package enum TripReadResult: Sendable {
    case trip(TripMessage)
    /// A null value: the driver has no trip any more.
    case tombstone(driverID: String)
    /// For the dead letters; `detail` names the field at fault, empty where it is the record as a whole.
    case unreadable(DeadLetterReason, detail: String)
}
