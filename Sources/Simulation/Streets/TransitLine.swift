/// A bus line in one direction: path, stops and timetable.
struct TransitLine: Sendable {
    struct Stop: Sendable {
        var id: String
        var distanceMeters: Double
        /// Planned arrival after the start of the dwell at the first stop, in seconds.
        var plannedSeconds: Double
    }

    let routeID: String
    let path: DrivePath
    let stops: [Stop]

    /// Planned dwell time at each stop, in seconds.
    static let plannedDwellSeconds = 16.0

    init(routeID: String, direction: String, path: DrivePath) {
        self.routeID = routeID
        self.path = path
        let count = max(10, min(20, Int(path.lengthMeters / 420) + 1))
        var distances: [Double] = []
        for index in 0..<count {
            // Moves stops in a tunnel to its end, and omits a stop within 60 m of the previous one.
            let distance = path.outsideTunnel(path.lengthMeters * Double(index) / Double(count - 1))
            if distance - (distances.last ?? -1000) > 60 { distances.append(distance) }
        }
        stops = distances.enumerated().map { index, distance in
            // Driving time with 20 % slack, plus the dwell time at previous stops.
            let planned = path.planSeconds(to: distance) * 1.2 + Double(index) * Self.plannedDwellSeconds
            return Stop(id: "\(routeID)\(direction)-\(index + 1)", distanceMeters: distance, plannedSeconds: planned)
        }
    }
}
