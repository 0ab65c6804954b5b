import Support

extension ActiveTrip {
    /// Returns and removes the warning raised or ended by the last change.
    package func popWarning() -> TripWarning? {
        defer { warning = nil }
        return warning
    }

    /// Ends the active warning of a trip that was displaced by another trip of the driver.
    package func endWarning(at time: Timestamp) { endDeviation(because: .displaced, at: time) }

    package func displacedEta(at now: Timestamp) -> TripEta {
        var last = eta(at: now)
        last.isDisplaced = true
        return last
    }

    /// Raises or ends the warning if an update of the deviation requires it.
    func recordDeviation(from before: RouteDeviation?, at time: Timestamp) {
        if let after = progress.deviation {
            guard after.isWarned, !(before?.isWarned ?? false) else { return }
            warning = TripWarning(
                code: .routeDeviation, beganAt: after.beganAt, greatestMeters: after.greatestMeters,
                coordinate: progress.position?.coordinate)
        } else if let before, before.isWarned {
            warn(ofEndOf: before, because: .returned, at: before.backSince ?? time)
        }
    }

    /// Removes the deviation and ends its warning, if it is active.
    func endDeviation(because ending: TripWarning.Ending, at time: Timestamp) {
        guard let deviation = progress.deviation else { return }
        progress.deviation = nil
        if deviation.isWarned { warn(ofEndOf: deviation, because: ending, at: deviation.backSince ?? time) }
    }

    private func warn(ofEndOf deviation: RouteDeviation, because ending: TripWarning.Ending, at time: Timestamp) {
        warning = TripWarning(
            code: .routeDeviation, beganAt: deviation.beganAt, endedAt: max(time, deviation.beganAt), ending: ending,
            greatestMeters: deviation.greatestMeters, coordinate: progress.position?.coordinate)
    }
}
