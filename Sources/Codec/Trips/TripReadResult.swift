import Model

/// What a record of `trips` turned out to be.
package enum TripReadResult: Sendable {
    case trip(TripMessage)
    /// A message to be followed whose facts are left out, because they are too large or no JSON object.
    case tripWithoutFacts(TripMessage, DeadLetterReason)
    /// A null value: the driver has no trip any more.
    case tombstone(driverID: String)
    /// For the dead letters; `detail` names the field at fault, empty where it is the record as a whole.
    case unreadable(DeadLetterReason, detail: String)

    /// The message to be followed; `nil` when there is none.
    package var message: TripMessage? {
        switch self {
        case .trip(let message), .tripWithoutFacts(let message, _): message
        case .tombstone, .unreadable: nil
        }
    }
}
