import Domain
import Support

/// Estimated arrival at one stop of a run; its seconds count from ``at``.
struct StopEstimate {
    private(set) var stop: TripEta.Stop
    private(set) var at: Timestamp
    private(set) var isStale: Bool

    /// Returns the stops of a run's ETA, updated by a position of the vehicle that is as recent.
    static func all(of update: RiderUpdate.EtaUpdate, _ position: RiderUpdate.VehiclePosition) -> [StopEstimate] {
        var estimates = update.stops.map { StopEstimate(stop: $0, at: update.estimatedAt, isStale: update.isStale) }
        guard isAsNew(position, as: update) else { return estimates }
        let passed = passedCount(of: update.stops, position)
        for index in estimates.indices.prefix(passed) { estimates[index].pass(position, isLast: index == passed - 1) }
        if estimates.indices.contains(passed) { estimates[passed].approach(position) }
        return estimates
    }

    /// Whether the position is at least as recent as the one used for the ETA, whose age is rounded down to seconds.
    private static func isAsNew(_ position: RiderUpdate.VehiclePosition, as update: RiderUpdate.EtaUpdate) -> Bool {
        guard let age = update.staleSeconds else { return true }
        return position.at.milliseconds >= update.computedAt.milliseconds - (Int64(age) + 1) * 1000
    }

    /// Returns how many stops are passed according to the ETA or the position.
    private static func passedCount(of stops: [TripEta.Stop], _ position: RiderUpdate.VehiclePosition) -> Int {
        let known = stops.prefix { $0.status == .passed }.count
        // A route may serve a stop twice: the pair of the passed and the next stop identifies the visit.
        let found = stops.indices.dropFirst(max(0, known - 1)).first { index in
            guard stops[index].id == position.passedStopID else { return false }
            return index + 1 == stops.count || stops[index + 1].id == position.nextStopID
        }
        return max(known, found.map { $0 + 1 } ?? 0)
    }

    private mutating func pass(_ position: RiderUpdate.VehiclePosition, isLast: Bool) {
        guard stop.status != .passed else { return }
        stop.status = .passed
        stop.seconds = -1
        (stop.minSeconds, stop.maxSeconds, stop.distanceMeters) = (nil, nil, nil)
        if isLast, let passedAt = position.passedAt { stop.arrivesAt = passedAt }
        if let scheduled = stop.scheduledAt, let arrived = stop.arrivesAt {
            stop.delaySeconds = Int(arrived.seconds(since: scheduled).rounded())
        }
        (at, isStale) = (position.at, position.isStale)
    }

    private mutating func approach(_ position: RiderUpdate.VehiclePosition) {
        guard stop.status == .valid, stop.id == position.nextStopID, let seconds = position.etaSeconds, seconds >= 0
        else { return }
        (stop.seconds, stop.minSeconds, stop.maxSeconds) = (seconds, position.minEtaSeconds, position.maxEtaSeconds)
        stop.distanceMeters = position.distanceMeters.map(Double.init)
        (at, isStale) = (position.at, position.isStale)
        guard let scheduled = stop.scheduledAt else { return }
        stop.delaySeconds = Int((at.seconds(since: scheduled) + Double(seconds)).rounded())
    }
}
