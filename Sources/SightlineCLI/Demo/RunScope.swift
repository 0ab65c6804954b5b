import Pipeline

/// Where a run began: what lies before these offsets belongs to others.
struct RunScope: Sendable {
    /// The first raw offset of the run, by partition.
    var raw: [Int32: Int64]
    /// The first offset of the run in the trips topic, by partition.
    var trips: [Int32: Int64]

    /// Whether an event was made from a record of this run.
    func contains(_ event: EventID) -> Bool {
        switch event.origin {
        case .raw: raw[event.partition].map { event.offset >= $0 } ?? false
        case .trips: trips[event.partition].map { event.offset >= $0 } ?? false
        }
    }
}
