/// A bus line in one direction: its way, its stops and what a timetable allows for it.
struct TransitLine: Sendable {
    struct Stop: Sendable {
        var id: String
        var distanceMeters: Double
        /// Planned arrival after departure from the first stop, in seconds.
        var plannedSeconds: Double
    }

    let routeID: String
    let path: DrivePath
    let stops: [Stop]

    /// What a timetable allows for each stop, in seconds.
    static let plannedDwellSeconds = 16.0

    init(routeID: String, direction: String, path: DrivePath) {
        self.routeID = routeID
        self.path = path
        let count = max(10, min(20, Int(path.lengthMeters / 420) + 1))
        var distances: [Double] = []
        for index in 0..<count {
            // There are no stops underground; two stops that would share a portal are one.
            let distance = path.outsideTunnel(path.lengthMeters * Double(index) / Double(count - 1))
            if distance - (distances.last ?? -1000) > 60 { distances.append(distance) }
        }
        stops = distances.enumerated().map { index, distance in
            // Timetables carry some slack over free driving, and the dwell at the stops before.
            let planned = path.planSeconds(to: distance) * 1.2 + Double(index) * Self.plannedDwellSeconds
            return Stop(id: "\(routeID)\(direction)-\(index + 1)", distanceMeters: distance, plannedSeconds: planned)
        }
    }
}
