import TestSupport

@testable import Domain
@testable import Evaluation
@testable import Recordings
@testable import Simulation
@testable import Support

/// A log of a vehicle that drives north at a constant speed, halts, or sends no fixes.
struct HandMadeLog {
    var tripID: String?
    var routeID: String?
    var speed: Double
    var intervalSeconds = 1.0
    var isSpoofed = false
    private(set) var vehicle: VehicleLog.Vehicle
    private(set) var second: Double
    private var meters = 0.0
    private let jitterMeters: Double
    private var generator: SeededGenerator

    static let plane = TangentPlane(origin: Coordinate(latitude: 49.5, longitude: 8.6))

    init(
        id: String = "car", tripID: String? = nil, routeID: String? = nil, speed: Double = 10,
        startSecond: Double = 1_700_000_000, jitterMeters: Double = 0, seed: UInt64 = 1
    ) {
        self.tripID = tripID
        self.routeID = routeID
        self.speed = speed
        self.jitterMeters = jitterMeters
        generator = SeededGenerator(seed: seed)
        second = startSecond
        vehicle = VehicleLog.Vehicle(trace: RecordedTrace(id: id, driverID: id), labels: [])
    }

    /// True position of the vehicle.
    var place: Coordinate { Self.place(meters) }

    /// Returns the position `meters` north of the start.
    static func place(_ meters: Double) -> Coordinate {
        plane.coordinate(of: TangentPlane.Point(east: 0, north: meters))
    }

    mutating func drive(seconds: Double) { go(seconds, at: speed) }

    mutating func halt(seconds: Double) { go(seconds, at: 0) }

    /// Drives without sending fixes.
    mutating func wait(seconds: Double) {
        second += seconds
        meters += speed * seconds
    }

    /// Adds a fix at a position, `seconds` after the previous fix.
    mutating func add(_ place: Coordinate, after seconds: Double, speed: Double? = nil) {
        second += seconds
        var row = TraceRow(
            traceID: vehicle.trace.id, driverID: vehicle.trace.id, at: Timestamp(milliseconds: Int64(second * 1000)),
            coordinate: place)
        row.speedMetersPerSecond = speed
        row.accuracyMeters = 5
        row.isSpoofed = isSpoofed
        vehicle.trace.append(row)
        vehicle.labels.append(.init(tripID: tripID, routeID: routeID))
    }

    private mutating func go(_ seconds: Double, at speed: Double) {
        var left = seconds
        while left > 0 {
            meters += speed * intervalSeconds
            let east = jitterMeters * (Double.random(in: -1...1, using: &generator))
            let north = meters + jitterMeters * Double.random(in: -1...1, using: &generator)
            let place = Self.plane.coordinate(of: TangentPlane.Point(east: east, north: north))
            add(place, after: intervalSeconds, speed: speed)
            left -= intervalSeconds
        }
    }
}
