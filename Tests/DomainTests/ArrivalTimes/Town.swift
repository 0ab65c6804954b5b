@testable import Domain
@testable import Support

/// A flat map for tests: places in metres east and north of its centre, times in seconds after ``start``.
enum Town {
    static let plane = TangentPlane(origin: Coordinate(latitude: 38.9, longitude: -77.03))
    static let start = Timestamp(milliseconds: 1_771_257_600_000)  // 16:00 UTC

    static func place(_ east: Double, _ north: Double) -> Coordinate {
        plane.coordinate(of: TangentPlane.Point(east: east, north: north))
    }

    static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    static func position(
        _ east: Double, _ north: Double, speed: Double = 10, heading: Double? = nil, at seconds: Double
    ) -> TripEta.Position {
        TripEta.Position(
            coordinate: place(east, north), headingDegrees: heading, speedMetersPerSecond: speed, accuracyMeters: 5,
            fixedAt: time(seconds))
    }

    /// Returns a line through corners, with a vertex every 20 m.
    static func line(_ corners: [(Double, Double)]) -> [Coordinate] {
        var points: [Coordinate] = []
        for (start, end) in zip(corners, corners.dropFirst()) {
            let length = ((end.0 - start.0) * (end.0 - start.0) + (end.1 - start.1) * (end.1 - start.1)).squareRoot()
            let steps = max(1, Int(length / 20))
            for step in 0..<steps {
                let part = Double(step) / Double(steps)
                points.append(place(start.0 + part * (end.0 - start.0), start.1 + part * (end.1 - start.1)))
            }
        }
        if let last = corners.last { points.append(place(last.0, last.1)) }
        return points
    }

    static func route(_ corners: [(Double, Double)], meters: Double? = nil, seconds: Double? = nil) -> TripMessage.Route
    {
        TripMessage.Route(
            polyline: "as sent", points: line(corners), distanceMeters: meters, durationSeconds: seconds)
    }

    /// Returns a ride from a pickup at the centre to a dropoff 3 km east, planned at 10 m/s.
    static func ride(
        _ state: TripState, version: Int64 = 1,
        route: TripMessage.Route? = Town.route(
            [(0, 0), (3000, 0)], meters: 3000, seconds: 300), pickupAt: Double? = nil, dropoffAt: Double? = nil
    ) -> TripMessage {
        TripMessage(
            tripID: "ride", driverID: "d", riderID: "r", state: state, changedAt: time(0), version: version,
            stops: [
                .init(
                    id: "pickup", kind: .pickup, coordinate: place(0, 0), scheduledAt: pickupAt.map { time($0) }),
                .init(
                    id: "dropoff", kind: .dropoff, coordinate: place(3000, 0), scheduledAt: dropoffAt.map { time($0) }),
            ], route: route)
    }

    /// Returns a run eastwards with a stop every 500 m, scheduled every minute from `departure` on.
    static func run(stops count: Int = 7, departure: Double? = 0, route isGiven: Bool = true) -> TripMessage {
        TripMessage(
            tripID: "run", driverID: "bus", kind: .transit, state: .inProgress, changedAt: time(0), version: 1,
            stops: (0..<count).map { index in
                TripMessage.Stop(
                    id: "s\(index)", kind: .stop, coordinate: place(Double(index) * 500, 0),
                    scheduledAt: departure.map { time($0 + Double(index) * 60) })
            }, route: isGiven ? route([(0, 0), (Double(count - 1) * 500, 0)]) : nil, routeID: "R1")
    }
}

extension ActiveTrip {
    /// Updates the trip with a position and returns the record.
    func drive(
        _ east: Double, _ north: Double = 0, speed: Double = 10, heading: Double? = 90, at seconds: Double
    ) -> TripEta {
        update(
            position: Town.position(east, north, speed: speed, heading: heading, at: seconds), isHalted: false,
            confidence: .high, occupancyPercent: nil, at: Town.time(seconds))
        return eta(at: Town.time(seconds))
    }

    /// Creates a trip with `given` settings; by default, the trip publishes the median with every record.
    convenience init(_ message: TripMessage, settings given: ArrivalSettings? = nil) {
        var settings = given ?? ArrivalSettings()
        if given == nil { (settings.ridePublishedETA, settings.transitPublishedETA) = (.middle, .middle) }
        self.init(message, estimator: ArrivalEstimator(settings: settings), at: Town.start)
    }

    var encoded: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: maximumProgressByteCount) {
            $1 = encodeProgress(into: UnsafeMutableRawBufferPointer($0))
        }
    }
}
