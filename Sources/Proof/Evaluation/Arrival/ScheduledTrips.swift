import Recordings
import Tracking

/// Recorded runs of a timetable: what the feed announced, and when each stop was really passed.
///
/// Passages are derived by geometry, as agencies do where there is no official record: fixes and stops are projected on
/// the shape, and time is interpolated between the fixes around a stop, which are at most 120 s apart.
package struct ScheduledTrips {
    /// Nearer to its end than this the line is at its end: nothing lies behind it to drive to.
    private static let terminusMeters = 30.0
    /// A run has left its first stop when it is farther past it than this, in metres: nearer, it stands at it.
    private static let departureMeters = 50.0

    let feed: GTFSFeed

    /// The runs of a log that the feed knows, in the order of their first fixes.
    package func trips(of log: VehicleLog) -> [RecordedTrip] {
        log.vehicles.flatMap { trips(of: $0) }.sorted { ($0.startsAt, $0.id) < ($1.startsAt, $1.id) }
    }

    private func trips(of vehicle: VehicleLog.Vehicle) -> [RecordedTrip] {
        var found: [RecordedTrip] = []
        let order = vehicle.trace.indicesByTime
        var start = 0
        while start < order.count {
            let label = vehicle.labels[order[start]]
            var end = start
            while end < order.count, vehicle.labels[order[end]].isSameRun(as: label) { end += 1 }
            if let id = label.tripID, let trip = feed.trips[id],
                let recorded = recorded(trip, label, vehicle, order[start..<end])
            {
                found.append(recorded)
            }
            start = end
        }
        return found
    }

    private func recorded(
        _ trip: GTFSFeed.Trip, _ label: VehicleLog.Label, _ vehicle: VehicleLog.Vehicle, _ rows: ArraySlice<Int>
    ) -> RecordedTrip? {
        let fixes = rows.compactMap { row in
            vehicle.trace.fixes[row].deviceAt.map { (at: $0, coordinate: vehicle.trace.fixes[row].coordinate) }
        }
        guard let first = fixes.first, trip.stopTimes.count > 1 else { return nil }
        let stops = stops(of: trip, label, firstAt: first.at)
        let points = trip.shapeID.flatMap { feed.shapes[$0] } ?? stops.map(\.coordinate)
        guard let geometry = RouteGeometry(points: points), let track = TrackOnRoute(route: points, fixes: fixes) else {
            return nil
        }
        let offsets = geometry.project(stops: stops.map(\.coordinate))
        var targets: [RecordedTrip.Target] = []
        // The first stop is where the run waits for its time: leaving it is no arrival.
        for index in stops.indices.dropFirst() {
            let place = min(offsets[index], geometry.lengthMeters - Self.terminusMeters)
            guard let passedAt = track.passage(at: place) else { continue }
            targets.append(.init(stop: index, arrivedAt: passedAt, plannedAt: stops[index].scheduledAt))
        }
        guard let from = targets.first, let to = targets.last else { return nil }
        let departure = track.passage(at: offsets[0] + Self.departureMeters, within: .infinity)
        // A trip is one of a day: the same run on two days is two trips.
        let id = label.startDate.map { "\(trip.id)@\($0)" } ?? trip.id
        let message = TripMessage(
            tripID: id, driverID: vehicle.trace.id, kind: .transit, state: .inProgress, changedAt: first.at,
            version: 1, stops: stops, route: TripMessage.Route(polyline: "", points: points),
            routeID: trip.routeID)
        return RecordedTrip(
            id: id, vehicleID: vehicle.trace.id, routeID: trip.routeID, startsAt: first.at,
            drivenMeters: offsets[to.stop] - offsets[from.stop],
            drivenSeconds: to.arrivedAt.seconds(since: from.arrivedAt),
            journeys: [.init(message: message, targets: targets, departedAt: departure)])
    }

    private func stops(of trip: GTFSFeed.Trip, _ label: VehicleLog.Label, firstAt: Timestamp) -> [TripMessage.Stop] {
        let dayStart = dayStart(of: trip, label, firstAt: firstAt)
        return trip.stopTimes.enumerated().compactMap { index, call in
            guard let place = feed.stops[call.stopID] else { return nil }
            let seconds = index == 0 ? call.departureSeconds ?? call.arrivalSeconds : call.arrivalSeconds
            return TripMessage.Stop(
                // A loop calls at a stop twice.
                id: "\(call.stopID)#\(call.sequence)", kind: .stop, coordinate: place,
                scheduledAt: seconds.flatMap { seconds in dayStart?.advanced(bySeconds: Double(seconds)) })
        }
    }

    /// Of the day of service that the vehicle names, or else of the one that fits its first fix best.
    private func dayStart(of trip: GTFSFeed.Trip, _ label: VehicleLog.Label, firstAt: Timestamp) -> Timestamp? {
        if let date = label.startDate, let start = feed.dayStart(date) { return start }
        let begins = trip.stopTimes.lazy.compactMap { $0.departureSeconds ?? $0.arrivalSeconds }.first ?? 0
        let today = feed.dayStart(feed.date(of: firstAt))
        let yesterday = feed.dayStart(feed.date(of: firstAt.advanced(bySeconds: -86_400)))
        return [today, yesterday].compactMap { $0 }.min {
            abs(firstAt.seconds(since: $0) - Double(begins)) < abs(firstAt.seconds(since: $1) - Double(begins))
        }
    }
}

extension VehicleLog.Label {
    fileprivate func isSameRun(as other: VehicleLog.Label) -> Bool {
        tripID == other.tripID && startDate == other.startDate
    }
}

extension RecordedTrace {
    /// The fixes that have a time, by it; those of one time in the order of the file.
    var indicesByTime: [Int] {
        fixes.indices.filter { fixes[$0].deviceAt != nil }.sorted { left, right in
            let (first, second) = (fixes[left].deviceAt?.milliseconds ?? 0, fixes[right].deviceAt?.milliseconds ?? 0)
            return (first, left) < (second, right)
        }
    }
}
