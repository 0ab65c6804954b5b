import Domain
import Recordings
import Simulation
import Support

/// Recorded runs of a timetable, with the announced and the actual passage of each stop.
///
/// Passages are derived from geometry: fixes and stops are projected on the shape, and the time is interpolated between
/// the fixes around a stop, which are at most 120 s apart.
package struct ScheduledTrips {
    /// Distance in metres before the end of the line at which the last stop counts as passed.
    private static let terminusMeters = 30.0
    /// Distance in metres past the first stop at which a run counts as departed.
    private static let departureMeters = 50.0

    let feed: GTFSFeed

    /// Returns the runs of a log that are in the feed, in the order of their first fixes.
    package func trips(of log: VehicleLog) -> [RecordedTrip] {
        log.vehicles.flatMap { trips(of: $0) }.sorted { ($0.startsAt, $0.id) < ($1.startsAt, $1.id) }
    }

    private func trips(of vehicle: VehicleLog.Vehicle) -> [RecordedTrip] {
        var trips: [RecordedTrip] = []
        let order = vehicle.trace.indicesByTime
        var start = 0
        while start < order.count {
            let label = vehicle.labels[order[start]]
            var end = start
            while end < order.count, vehicle.labels[order[end]].isSameRun(as: label) { end += 1 }
            if let id = label.tripID, let trip = feed.trips[id] {
                let runs = runs(of: trip, vehicle.trace, order[start..<end])
                for (number, rows) in runs.enumerated() {
                    guard var recorded = recorded(trip, label, vehicle, rows) else { continue }
                    // All runs of a frequency share a trip id.
                    if number > 0 { recorded.rename("\(recorded.id)#\(number + 1)") }
                    trips.append(recorded)
                }
            }
            start = end
        }
        return trips
    }

    /// Splits the rows of a trip with frequencies into its runs.
    ///
    /// A run ends where the vehicle has driven most of the route and is nearest to the first stop again.
    private func runs(
        of trip: GTFSFeed.Trip, _ trace: RecordedTrace, _ rows: ArraySlice<Int>
    ) -> [ArraySlice<Int>] {
        let points = trip.stopTimes.compactMap { feed.stops[$0.stopID] }
        guard !trip.frequencies.isEmpty, let first = points.first,
            let line = RouteLine(points: trip.shapeID.flatMap { feed.shapes[$0] } ?? points)
        else { return [rows] }
        var runs: [ArraySlice<Int>] = []
        var start = rows.startIndex
        var driven = 0.0
        var nearest: (row: Int, meters: Double)?
        for row in rows.indices {
            let coordinate = trace.fixes[rows[row]].coordinate
            if row > start {
                driven += Geodesy.distanceMeters(from: trace.fixes[rows[row - 1]].coordinate, to: coordinate)
            }
            let meters = Geodesy.distanceMeters(from: first, to: coordinate)
            if driven > Self.drivenShare * line.lengthMeters, meters < Self.terminalMeters {
                // While the vehicle waits, the run ends with the last fix before the departure.
                if meters <= (nearest?.meters ?? .infinity) + Self.standingMeters { nearest = (row, meters) }
            } else if let end = nearest {
                runs.append(rows[start...end.row])
                (start, driven, nearest) = (end.row, 0, nil)
            }
        }
        runs.append(rows[start...])
        return runs
    }

    /// Minimum share of the route that a run has driven before the next run can begin.
    private static let drivenShare = 0.8
    /// Distance in metres within which a vehicle is at the first stop.
    private static let terminalMeters = 150.0
    /// Scatter of the fixes of a standing vehicle, in metres.
    private static let standingMeters = 5.0

    private func recorded(
        _ trip: GTFSFeed.Trip, _ label: VehicleLog.Label, _ vehicle: VehicleLog.Vehicle, _ rows: ArraySlice<Int>
    ) -> RecordedTrip? {
        let fixes = rows.compactMap { row in
            vehicle.trace.fixes[row].deviceAt.map { (at: $0, coordinate: vehicle.trace.fixes[row].coordinate) }
        }
        guard let first = fixes.first, trip.stopTimes.count > 1 else { return nil }
        var stops = stops(of: trip)
        let points = trip.shapeID.flatMap { feed.shapes[$0] } ?? stops.map(\.stop.coordinate)
        guard let geometry = RouteGeometry(points: points), let track = TrackOnRoute(route: points, fixes: fixes) else {
            return nil
        }
        let offsets = geometry.project(stops: stops.map(\.stop.coordinate))
        let departure = track.passage(at: offsets[0] + Self.departureMeters, within: .infinity)
        let planStart = planStart(of: trip, label, firstAt: first.at, departure, lengthMeters: geometry.lengthMeters)
        for index in stops.indices {
            stops[index].stop.scheduledAt = stops[index].seconds.flatMap { seconds in
                planStart?.advanced(bySeconds: Double(seconds))
            }
        }
        var targets: [RecordedTrip.Target] = []
        // Excludes the first stop, where the run waits for its departure, because leaving it is not an arrival.
        for index in stops.indices.dropFirst() {
            let meters = min(offsets[index], geometry.lengthMeters - Self.terminusMeters)
            guard let passedAt = track.passage(at: meters) else { continue }
            targets.append(.init(stop: index, arrivedAt: passedAt, plannedAt: stops[index].stop.scheduledAt))
        }
        guard let from = targets.first, let to = targets.last else { return nil }
        // The same run on two days is two trips.
        let id = label.startDate.map { "\(trip.id)@\($0)" } ?? trip.id
        let message = TripMessage(
            tripID: id, driverID: vehicle.trace.id, kind: .transit, state: .inProgress, changedAt: first.at,
            version: 1, stops: stops.map(\.stop), route: TripMessage.Route(polyline: "", points: points),
            routeID: trip.routeID)
        return RecordedTrip(
            id: id, vehicleID: vehicle.trace.id, startsAt: first.at,
            driven: SpeedBook.Entry(
                routeID: trip.routeID, half: EvaluationHalf.of(tripID: id),
                meters: offsets[to.stop] - offsets[from.stop], seconds: to.arrivedAt.seconds(since: from.arrivedAt)),
            journeys: [.init(message: message, targets: targets, departedAt: departure)])
    }

    /// Returns the stops that have a coordinate, without scheduled times, and the timetable seconds of each.
    private func stops(of trip: GTFSFeed.Trip) -> [(stop: TripMessage.Stop, seconds: Int?)] {
        trip.stopTimes.enumerated().compactMap { index, call in
            guard let coordinate = feed.stops[call.stopID] else { return nil }
            // A loop can call at a stop twice.
            let stop = TripMessage.Stop(id: "\(call.stopID)#\(call.sequence)", kind: .stop, coordinate: coordinate)
            return (stop, index == 0 ? call.departureSeconds ?? call.arrivalSeconds : call.arrivalSeconds)
        }
    }

    /// Returns the time to which the trip's timetable seconds are relative.
    private func planStart(
        of trip: GTFSFeed.Trip, _ label: VehicleLog.Label, firstAt: Timestamp, _ departure: Timestamp?,
        lengthMeters: Double
    ) -> Timestamp? {
        let begins = trip.stopTimes.lazy.compactMap { $0.departureSeconds ?? $0.arrivalSeconds }.first ?? 0
        guard !trip.frequencies.isEmpty else { return dayStart(label, firstAt: firstAt, beginsAfter: begins) }
        if let departure, !trip.frequencies.contains(where: \.isExact) {
            // Only the headway is planned, so the timetable begins when the vehicle leaves.
            let ends = trip.stopTimes.lazy.reversed().compactMap { $0.arrivalSeconds ?? $0.departureSeconds }.first
            let secondsPerMeter = Double(max(0, (ends ?? begins) - begins)) / max(lengthMeters, 1)
            return departure.advanced(bySeconds: -Self.departureMeters * secondsPerMeter - Double(begins))
        }
        let start = trip.frequencies.compactMap { run(of: $0, label, nearest: firstAt) }.min {
            abs(firstAt.seconds(since: $0)) < abs(firstAt.seconds(since: $1))
        }
        return start?.advanced(bySeconds: -Double(begins))
    }

    /// Returns the start of the run of a frequency that is nearest to a time.
    private func run(
        of frequency: GTFSFeed.Frequency, _ label: VehicleLog.Label, nearest start: Timestamp
    ) -> Timestamp? {
        let day = dayStart(label, firstAt: start, beginsAfter: (frequency.startSeconds + frequency.endSeconds) / 2)
        guard let first = day?.advanced(bySeconds: Double(frequency.startSeconds)) else { return nil }
        // A run that would begin exactly at the end of the period does not exist.
        let last = (frequency.endSeconds - frequency.startSeconds - 1) / frequency.headwaySeconds
        let number = (start.seconds(since: first) / Double(frequency.headwaySeconds)).rounded()
        let seconds = min(max(0, number), Double(last)) * Double(frequency.headwaySeconds)
        return first.advanced(bySeconds: seconds)
    }

    /// Returns the start of the label's service day, or of the day whose trip begins nearest to the first fix.
    private func dayStart(_ label: VehicleLog.Label, firstAt: Timestamp, beginsAfter begins: Int) -> Timestamp? {
        if let date = label.startDate, let start = feed.dayStart(date) { return start }
        return feed.dayStarts(around: firstAt.advanced(bySeconds: -Double(begins))).min {
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
    /// Indices of the fixes with a device time, ordered by time, then by position in the file.
    var indicesByTime: [Int] {
        fixes.indices.filter { fixes[$0].deviceAt != nil }.sorted { left, right in
            let (first, second) = (fixes[left].deviceAt?.milliseconds ?? 0, fixes[right].deviceAt?.milliseconds ?? 0)
            return (first, left) < (second, right)
        }
    }
}
