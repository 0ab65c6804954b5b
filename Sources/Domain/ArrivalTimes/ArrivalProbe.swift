import Support

/// A recorded estimate, to be compared with the arrival.
struct ArrivalProbe: Sendable, Equatable {
    var stop: Int
    /// Estimate in seconds from the fix, without learned errors, in the stored precision.
    var etaSeconds: Float
    /// Estimated arrival.
    var arrivesAt: Timestamp
}

/// An estimate and its error.
struct ObservedError: Sendable, Equatable {
    var etaSeconds: Double
    /// Positive if the vehicle arrived later than estimated.
    var lateSeconds: Double
}
