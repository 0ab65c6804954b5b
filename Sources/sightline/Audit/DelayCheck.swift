import ArrivalTimes
import Model
import Runtime

/// Checks the delays of a record of trip.etas against what stands beside them: each is the stop's arrival less its time
/// by the timetable, and its flag agrees with it.
struct DelayCheck {
    let settings: DelayClassifier.Settings

    /// What the stops' delays contradict, in words; `nil` when nothing.
    func contradiction(in stops: [TripEta.Stop]) -> String? {
        for stop in stops {
            if let what = contradiction(in: stop) { return "stop \(stop.id): \(what)" }
        }
        return nil
    }

    private func contradiction(in stop: TripEta.Stop) -> String? {
        guard let delay = stop.delaySeconds else {
            if stop.delay != .unknown { return "delay is \(stop.delay.code) without delay_seconds" }
            return stop.arrivesAt != nil && stop.scheduledAt != nil ? "delay_seconds is absent" : nil
        }
        guard let arrivesAt = stop.arrivesAt else { return "delay_seconds is \(delay) without arrives_at" }
        // Without a timetable the delay is measured against the first arrival promised, which the record does not tell.
        if let scheduledAt = stop.scheduledAt {
            let seconds = DelayClassifier.seconds(of: arrivesAt, since: scheduledAt)
            if delay != seconds { return "delay_seconds is \(delay), arrives_at less scheduled_at is \(seconds)" }
        }
        return DelayClassifier.agrees(stop.delay, with: delay, settings: settings)
            ? nil : "delay is \(stop.delay.code) with delay_seconds \(delay)"
    }
}
