import Support

/// When the states of a brief ride begin; `nil` for what has not begun.
struct BriefRideTimes: Sendable, Equatable {
    private(set) var acceptedAt: Timestamp?
    private(set) var arrivedAt: Timestamp?
    private(set) var startedAt: Timestamp?
    private(set) var droppedAt: Timestamp?
    private(set) var completedAt: Timestamp?

    /// Takes in how the trip stands at `time`.
    mutating func note(_ trip: TripTruth, at time: Timestamp) {
        switch trip.state {
        case .requested, .cancelled: break
        case .accepted: acceptedAt = acceptedAt ?? time
        case .arrived: arrivedAt = arrivedAt ?? time
        case .inProgress: startedAt = startedAt ?? time
        case .completed: completedAt = completedAt ?? time
        }
        droppedAt = trip.stops.last?.arrivedAt
    }

    /// The shorter of both drives, in seconds: so long something is to be seen of each.
    ///
    /// `nil` where the ride does not end.
    var shorterDriveSeconds: Double? {
        guard let acceptedAt, let arrivedAt, let startedAt, let droppedAt, completedAt != nil else { return nil }
        return min(arrivedAt.seconds(since: acceptedAt), droppedAt.seconds(since: startedAt))
    }
}
