import Support

/// An estimate that was noted, to be compared with the arrival.
struct ArrivalProbe: Sendable, Equatable {
    /// Index of the stop.
    var stop: Int
    /// The estimate in seconds from the fix, before anything learned of errors; in the precision stored.
    var etaSeconds: Float
    /// The arrival by it.
    var arrivesAt: Timestamp
}

/// An estimate and what came of it.
struct ObservedError: Sendable, Equatable {
    var etaSeconds: Double
    /// How much later than estimated the vehicle came; negative: earlier.
    var lateSeconds: Double
}
