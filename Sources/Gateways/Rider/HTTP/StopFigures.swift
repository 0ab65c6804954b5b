import Model
import Support

/// What is known of one stop of a run, and the time that its seconds count from.
struct StopFigures {
    private(set) var stop: TripEta.Stop
    private(set) var at: Timestamp
    private(set) var isStale: Bool

    /// Joins the arrival times of a run with the position of its vehicle.
    static func every(of update: RiderUpdate.EtaUpdate, _ position: RiderUpdate.VehiclePosition) -> [StopFigures] {
        var figures = update.stops.map { StopFigures(stop: $0, at: update.estimatedAt, isStale: update.isStale) }
        guard isAsNew(position, as: update) else { return figures }
        let passed = passedCount(of: update.stops, position)
        for index in figures.indices.prefix(passed) { figures[index].pass(position, isLast: index == passed - 1) }
        if figures.indices.contains(passed) { figures[passed].approach(position) }
        return figures
    }

    /// Whether the position is no older than the one that the arrival times rest on, whose age has whole seconds.
    private static func isAsNew(_ position: RiderUpdate.VehiclePosition, as update: RiderUpdate.EtaUpdate) -> Bool {
        guard let age = update.staleSeconds else { return true }
        return position.at.milliseconds >= update.computedAt.milliseconds - (Int64(age) + 1) * 1000
    }

    /// Counts the stops that are passed, by the position and by the arrival times.
    private static func passedCount(of stops: [TripEta.Stop], _ position: RiderUpdate.VehiclePosition) -> Int {
        let known = stops.prefix { $0.status == .passed }.count
        // A line may come by a stop twice: the pair of the stops passed and next says which time it is.
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
