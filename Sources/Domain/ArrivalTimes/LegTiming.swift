/// Planned time of each leg, from the timetable, the route's duration or a default speed.
struct LegTiming {
    var legSeconds: [Double]
    var dwellSeconds: [Double]
    var secondsPerMeter: Double

    /// Creates the timing; scheduled runs prefer the timetable, and rides the route's duration, which includes traffic.
    init(message: TripMessage, legMeters: [Double], geometry: RouteGeometry?, settings: ArrivalSettings) {
        let scheduled = Self.timetable(message.stops, legMeters)
        let routeSecondsPerMeter = Self.routeSecondsPerMeter(message.route, geometry, settings)
        let fallbackSecondsPerMeter = routeSecondsPerMeter ?? 1 / settings.defaultSpeedMetersPerSecond
        let prefersTimetable = message.kind == .transit || routeSecondsPerMeter == nil
        let dwell = message.kind == .ride ? settings.rideStopDwellSeconds : settings.transitStopDwellSeconds
        let pickup = message.kind == .ride ? message.stops.firstIndex { $0.kind == .pickup } : nil

        legSeconds = []
        dwellSeconds = Array(repeating: 0, count: legMeters.count)
        var timedSeconds = 0.0
        var timedMeters = 0.0
        for leg in legMeters.indices {
            let least = legMeters[leg] / settings.matching.maximumSpeedMetersPerSecond
            if prefersTimetable, let seconds = scheduled[leg] {
                legSeconds.append(max(least, seconds))
                timedSeconds += max(least, seconds)
                timedMeters += legMeters[leg]
            } else {
                legSeconds.append(max(least, legMeters[leg] * fallbackSecondsPerMeter))
                if leg > 0 { dwellSeconds[leg - 1] = dwell }
            }
        }
        if let pickup { dwellSeconds[pickup] = settings.pickupDwellSeconds }
        // The timetable also determines the speed on stretches that it does not cover.
        let isTimed = prefersTimetable && timedMeters > 500 && timedSeconds > 0
        secondsPerMeter = isTimed && routeSecondsPerMeter == nil ? timedSeconds / timedMeters : fallbackSecondsPerMeter
    }

    /// Returns the seconds per metre by the route's duration; `nil` without a plausible duration.
    private static func routeSecondsPerMeter(
        _ route: TripMessage.Route?, _ geometry: RouteGeometry?, _ settings: ArrivalSettings
    ) -> Double? {
        guard let seconds = route?.durationSeconds, let meters = geometry?.lengthMeters ?? route?.distanceMeters,
            seconds > 0, meters > 0, meters / seconds <= settings.matching.maximumSpeedMetersPerSecond
        else { return nil }
        return seconds / meters
    }

    /// Returns the scheduled seconds of each leg; legs between stops without times share the time by length.
    private static func timetable(_ stops: [TripMessage.Stop], _ legMeters: [Double]) -> [Double?] {
        var seconds = [Double?](repeating: nil, count: stops.count)
        var before: Int?
        for index in stops.indices {
            guard let at = stops[index].scheduledAt else { continue }
            defer { before = index }
            guard let start = before, let startAt = stops[start].scheduledAt else { continue }
            let total = at.seconds(since: startAt)
            let legs = (start + 1)...index
            let meters = legs.reduce(0) { $0 + legMeters[$1] }
            // Ignores descending times, and a duration of 0 for several legs whose length is not 0.
            guard total >= 0, total > 0 || meters == 0 || legs.count == 1 else { continue }
            for leg in legs { seconds[leg] = meters > 0 ? total * legMeters[leg] / meters : total / Double(legs.count) }
        }
        return seconds
    }
}
