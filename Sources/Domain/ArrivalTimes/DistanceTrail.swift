import Support

/// Recent distance of a driver by the times of the fixes, for trip messages that arrive late.
///
/// A sum adds single steps, so that a trail refilled after a restart gives identical results.
package struct DistanceTrail: Sendable, Equatable {
    struct Step: Sendable, Equatable {
        /// Time at which the step's last fix was measured; the step begins at the last fix of the previous step.
        var endsAt: Timestamp
        /// Timestamp of the record with the step's last fix.
        var arrivedAt: Timestamp
        var meters: Float
    }

    /// Fixes in the same interval of this length share one step.
    static let cellMilliseconds: Int64 = 5000
    /// Maximum steps in a sum: over 20 minutes, as one upload may contain.
    static let usedSteps = 256
    /// Maximum stored steps; a fifth is removed at once.
    static let maximumSteps = 320

    private(set) var steps: ContiguousArray<Step> = []
    private var last = Coordinate(latitude: 0, longitude: 0)

    package init() {}

    /// Adds an accepted fix; ignores a fix measured before the last fix.
    ///
    /// A standing vehicle adds no distance. `arrivedAt`: timestamp of the fix's record. Steps that arrived
    /// `memoryMilliseconds` earlier may be removed.
    package mutating func add(
        _ coordinate: Coordinate, isMoving: Bool, measuredAt: Timestamp, arrivedAt: Timestamp, memoryMilliseconds: Int64
    ) {
        guard let before = steps.last else {
            // Enough for a live driver, because growing step by step would allocate six times.
            steps.reserveCapacity(64)
            steps.append(Step(endsAt: measuredAt, arrivedAt: arrivedAt, meters: 0))
            last = coordinate
            return
        }
        guard measuredAt >= before.endsAt else { return }
        let meters = isMoving ? Float(Geodesy.distanceMeters(from: last, to: coordinate)) : 0
        last = coordinate
        if Self.cell(of: measuredAt) == Self.cell(of: before.endsAt) {
            steps[steps.count - 1].endsAt = measuredAt
            steps[steps.count - 1].arrivedAt = arrivedAt
            steps[steps.count - 1].meters += meters
            return
        }
        if steps.count == steps.capacity || steps.count == Self.maximumSteps {
            removeOld(before: Timestamp(milliseconds: arrivedAt.milliseconds - memoryMilliseconds))
        }
        steps.append(Step(endsAt: measuredAt, arrivedAt: arrivedAt, meters: meters))
    }

    /// Returns the metres driven after `start`, between fixes that arrived after `limit`.
    package func meters(after start: Timestamp, arrivedAfter limit: Timestamp) -> Double {
        var sum = 0.0
        let oldest = max(1, steps.count - Self.usedSteps)
        var index = steps.count - 1
        while index >= oldest, steps[index].endsAt > start, steps[index - 1].arrivedAt > limit {
            let part = start.partAfter(between: steps[index - 1].endsAt, and: steps[index].endsAt)
            sum += Double(steps[index].meters) * part
            index -= 1
        }
        return sum
    }

    private mutating func removeOld(before limit: Timestamp) {
        var expired = steps.firstIndex { $0.arrivedAt >= limit } ?? steps.count - 1
        if steps.count - expired >= Self.maximumSteps { expired += Self.maximumSteps - Self.usedSteps }
        steps.removeFirst(expired)
    }

    private static func cell(of time: Timestamp) -> Int64 { time.milliseconds / cellMilliseconds }
}

extension Timestamp {
    /// Returns the share (0 to 1) of the interval from `start` to `end` that is after this time.
    func partAfter(between start: Timestamp, and end: Timestamp) -> Double {
        if self <= start { return 1 }
        guard self < end else { return 0 }
        return end.seconds(since: self) / end.seconds(since: start)
    }
}
