import Model

/// How long the plan says each leg takes: from the timetable, from the route's duration, or from a default speed.
struct LegTiming {
    var legSeconds: [Double]
    var dwellSeconds: [Double]
    var paceSecondsPerMeter: Double

    /// A scheduled run goes by its timetable first.
    ///
    /// A ride goes by the duration that the route planner gave with the
    /// route, which knows the traffic; its scheduled times are promises and only stand in where there is no duration.
    init(message: TripMessage, legMeters: [Double], geometry: RouteGeometry?, settings: ArrivalSettings) {
        let scheduled = Self.timetable(message.stops, legMeters)
        let routePace = Self.routePace(message.route, geometry, settings)
        let fallbackPace = routePace ?? 1 / settings.defaultSpeedMetersPerSecond
        let prefersTimetable = message.kind == .transit || routePace == nil
        let dwell = message.kind == .ride ? settings.rideStopDwellSeconds : settings.transitStopDwellSeconds
        let pickup = message.kind == .ride ? message.stops.firstIndex { $0.kind == .pickup } : nil

        legSeconds = []
        dwellSeconds = Array(repeating: 0, count: legMeters.count)
        var timedSeconds = 0.0
        var timedMeters = 0.0
        for leg in legMeters.indices {
            let slowest = legMeters[leg] / settings.matching.maximumSpeedMetersPerSecond
            if prefersTimetable, let seconds = scheduled[leg] {
                legSeconds.append(max(slowest, seconds))
                timedSeconds += max(slowest, seconds)
                timedMeters += legMeters[leg]
            } else {
                legSeconds.append(max(slowest, legMeters[leg] * fallbackPace))
                if leg > 0 { dwellSeconds[leg - 1] = dwell }
            }
        }
        if let pickup { dwellSeconds[pickup] = settings.pickupDwellSeconds }
        // A timetable also tells how fast the vehicle is on stretches that it does not cover.
        let isTimed = prefersTimetable && timedMeters > 500 && timedSeconds > 0
        paceSecondsPerMeter = isTimed && routePace == nil ? timedSeconds / timedMeters : fallbackPace
    }

    /// Seconds per metre that the route's own duration gives; `nil` when it has none that is possible.
    private static func routePace(
        _ route: TripMessage.Route?, _ geometry: RouteGeometry?, _ settings: ArrivalSettings
    ) -> Double? {
        guard let seconds = route?.durationSeconds, let meters = geometry?.lengthMeters ?? route?.distanceMeters,
            seconds > 0, meters > 0, meters / seconds <= settings.matching.maximumSpeedMetersPerSecond
        else { return nil }
        return seconds / meters
    }

    /// Scheduled seconds of each leg; between stops that have times, legs share them by length.
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
            // Times that fall are an error of the timetable, as is a stretch of no length that takes long.
            guard total >= 0, total > 0 || meters == 0 || legs.count == 1 else { continue }
            for leg in legs {
                seconds[leg] = meters > 0 ? total * legMeters[leg] / meters : total / Double(legs.count)
            }
        }
        return seconds
    }
}
