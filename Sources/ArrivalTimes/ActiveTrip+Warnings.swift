import Model
import Support

extension ActiveTrip {
    /// The warning that the last change to the trip raised or ended; `nil` when there is none, or it was taken.
    package func takeWarning() -> TripWarning? {
        defer { warning = nil }
        return warning
    }

    /// Ends what the trip warns of, because nothing more will be heard of it.
    package func abandon(at time: Timestamp) { endDeviation(because: .displaced, at: time) }

    /// Returns the last record of a trip that another one has displaced.
    package func displacedEta(at now: Timestamp) -> TripEta {
        var last = eta(at: now)
        last.isDisplaced = true
        return last
    }

    /// Makes a warning of what the position just taken in has changed.
    func noteDeviation(from before: RouteDeviation?, at time: Timestamp) {
        if let after = progress.deviation {
            guard after.isTold, !(before?.isTold ?? false) else { return }
            warning = TripWarning(
                code: .routeDeviation, beganAt: after.beganAt, greatestMeters: after.greatestMeters,
                coordinate: progress.position?.coordinate)
        } else if let before, before.isTold {
            warn(ofEndOf: before, because: .returned, at: before.backSince ?? time)
        }
    }

    /// Forgets the deviation, and tells that it is over if it was warned of.
    func endDeviation(because ending: TripWarning.Ending, at time: Timestamp) {
        guard let deviation = progress.deviation else { return }
        progress.deviation = nil
        if deviation.isTold { warn(ofEndOf: deviation, because: ending, at: deviation.backSince ?? time) }
    }

    private func warn(ofEndOf deviation: RouteDeviation, because ending: TripWarning.Ending, at time: Timestamp) {
        warning = TripWarning(
            code: .routeDeviation, beganAt: deviation.beganAt, endedAt: max(time, deviation.beganAt), ending: ending,
            greatestMeters: deviation.greatestMeters, coordinate: progress.position?.coordinate)
    }
}
