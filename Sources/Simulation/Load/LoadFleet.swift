import Codec
import Domain
import Glibc
import Support

/// Generator of traffic for load tests: any number of drivers on separate roads, who send fixes one after the other.
///
/// Unlike ``FleetSimulation`` it has no street network, no trip changes and no faults, so that a record costs about a
/// microsecond. The fixes still resemble a phone's: gentle bends, acceleration and braking, noise and heading.
package struct LoadFleet {
    /// One record of the raw topic.
    package struct Record {
        package var driver: Int
        package var at: Timestamp
        package var value: [UInt8]
    }

    private struct Vehicle {
        var east: Double
        var north: Double
        var heading: Float
        /// Seconds since the last stop; the vehicle stops every ``secondsPerStop``.
        var phase: Float
    }

    package let drivers: Int
    private let start: Timestamp
    private let intervalSeconds: Double
    private let plane: TangentPlane
    private var vehicles: [Vehicle]
    private var random: RandomSource
    private var sent = 0

    /// Maximum speed, in m/s; the mean is half of it.
    private static let topSpeed = 14.0
    private static let secondsPerStop = 60.0
    /// Metres of road over which a vehicle turns by one radian.
    private static let bendMeters = 4000.0
    private static let routeMeters = 6000.0

    /// Distributes the drivers over a square with sides of 40 km around `center`.
    package init(
        drivers: Int, start: Timestamp, intervalSeconds: Double = 1, seed: UInt64 = 1,
        center: Coordinate = Coordinate(latitude: 48.1374, longitude: 11.5755)
    ) {
        precondition(drivers > 0 && intervalSeconds > 0, "drivers and intervalSeconds must be positive.")
        self.drivers = drivers
        self.start = start
        self.intervalSeconds = intervalSeconds
        plane = TangentPlane(origin: center)
        var random = RandomSource(seed: seed)
        vehicles = (0..<drivers).map { _ in
            Vehicle(
                east: random.uniform(in: -20_000...20_000), north: random.uniform(in: -20_000...20_000),
                heading: Float(random.uniform(in: 0...360)), phase: Float(random.uniform(in: 0...Self.secondsPerStop)))
        }
        self.random = random
    }

    package func driverID(_ driver: Int) -> String { "load_\(driver)" }
    package func tripID(_ driver: Int) -> String { "trip_\(driver)" }

    /// Returns the next fix; in each interval, every driver sends one fix, at evenly spaced times.
    package mutating func next() -> Record {
        let driver = sent % drivers
        let seconds = intervalSeconds * Double(sent) / Double(drivers)
        let sequence = Int64(sent / drivers + 1)
        sent += 1
        // Static, because a method would hold a second reference to the array and cause a copy.
        let speed = Self.advance(&vehicles[driver], by: intervalSeconds)
        let vehicle = vehicles[driver]
        let at = start.advanced(bySeconds: seconds)
        let point = TangentPlane.Point(
            east: vehicle.east + 2.5 * random.normal(), north: vehicle.north + 2.5 * random.normal())
        var fix = ReportedFix(
            coordinate: plane.coordinate(of: point), deviceAt: at, sequence: sequence, sessionID: "session_\(driver)")
        fix.accuracyMeters = 3.5 + 1.5 * random.uniform()
        fix.speedMetersPerSecond = max(0, speed + 0.2 * random.normal())
        fix.headingDegrees = Geodesy.normalizedHeading(Double(vehicle.heading) + 2 * random.normal())
        fix.altitudeMeters = 520 + 3 * random.normal()
        fix.batteryPercent = 40 + driver % 60
        fix.tripID = tripID(driver)
        let value = RawRecordWriter.record(fix, driverID: driverID(driver), format: .rideshare)
        return Record(driver: driver, at: at, value: value)
    }

    /// Returns the trip of `driver`, along the road from the vehicle's current position.
    package func trip(of driver: Int) -> TripMessage {
        var vehicle = vehicles[driver]
        var points: [Coordinate] = []
        for _ in 0...Int(Self.routeMeters / 100) {
            points.append(plane.coordinate(of: .init(east: vehicle.east, north: vehicle.north)))
            Self.move(&vehicle, by: 100)
        }
        var trip = TripMessage(
            tripID: tripID(driver), driverID: driverID(driver), riderID: "rider_\(driver)", state: .inProgress,
            changedAt: start, version: 1)
        if let first = points.first, let last = points.last {
            trip.stops = [
                TripMessage.Stop(id: "pickup", kind: .pickup, coordinate: first),
                TripMessage.Stop(id: "dropoff", kind: .dropoff, coordinate: last),
            ]
        }
        trip.route = TripMessage.Route(
            polyline: Polyline.encode(points, precision: 5), points: points,
            distanceMeters: Self.routeMeters, durationSeconds: Self.routeMeters / (Self.topSpeed / 2))
        return trip
    }

    /// Moves a vehicle and returns its speed.
    private static func advance(_ vehicle: inout Vehicle, by seconds: Double) -> Double {
        let period = secondsPerStop
        func driven(_ phase: Double) -> Double {
            topSpeed / 2 * (phase - period / (2 * .pi) * sin(2 * .pi * phase / period))
        }
        let phase = Double(vehicle.phase) + seconds
        move(&vehicle, by: driven(phase) - driven(Double(vehicle.phase)))
        vehicle.phase = Float(phase.truncatingRemainder(dividingBy: period))
        return topSpeed / 2 * (1 - cos(2 * .pi * phase / period))
    }

    private static func move(_ vehicle: inout Vehicle, by meters: Double) {
        let heading = Double(vehicle.heading) * .pi / 180
        vehicle.east += meters * sin(heading)
        vehicle.north += meters * cos(heading)
        vehicle.heading += Float(meters / bendMeters * 180 / .pi)
    }
}
