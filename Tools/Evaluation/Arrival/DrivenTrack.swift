import Domain
import Recordings
import Simulation
import Support

/// The fixes of one drive from somewhere to somewhere, cleaned of repeats and jumps.
struct DrivenTrack {
    struct Point {
        var at: Timestamp
        /// Where the reference says that the vehicle was, or else where the fix does.
        var coordinate: Coordinate
    }

    var id: String
    var vehicleID: String
    var routeID: String?
    var points: [Point] = []

    /// Faster than this between fixes is an error, in m/s.
    private static let fastestMetersPerSecond = 60.0
    /// Fixes in a row that contradict the track before them, after which theirs is another one.
    private static let contradictingFixes = 3
    /// Where a vehicle that stays within so many metres for so many seconds has come to an end.
    static let standingMeters = 50.0
    static let standingSeconds = 180.0
    /// A silence this long ends a drive, in seconds.
    static let gapSeconds = 180.0
    /// Shorter drives are not measured.
    static let shortestSeconds = 300.0
    static let shortestMeters = 1000.0
    private static let fewestFixes = 6

    /// The drives of a vehicle: cut at silences, where the trip changes and, where the log names no trips, at long
    /// stands; standing at the beginning and the end is cut off.
    static func tracks(of vehicle: VehicleLog.Vehicle) -> [DrivenTrack] {
        var tracks: [DrivenTrack] = []
        for (label, pieces) in segments(of: vehicle) {
            let named = label.tripID != nil
            let drives = pieces.flatMap { named ? [trimmed($0)] : Self.drives(in: $0) }
            for points in drives where points.count >= fewestFixes {
                let base = label.tripID.map { "\(vehicle.trace.id)/\($0)" } ?? vehicle.trace.id
                tracks.append(
                    DrivenTrack(
                        id: "\(base)@\(points[0].at.milliseconds / 1000)", vehicleID: vehicle.trace.id,
                        routeID: label.routeID, points: points))
            }
        }
        return tracks
    }

    private static func segments(of vehicle: VehicleLog.Vehicle) -> [(VehicleLog.Label, [[Point]])] {
        var found: [(label: VehicleLog.Label, pieces: [[Point]])] = []
        var piece: [Point] = []
        var stray: [Point] = []
        func close() {
            if !piece.isEmpty { found[found.count - 1].pieces.append(piece) }
            piece = []
        }
        // Where there is a reference, the track is the reference's alone: two kinds of position make a jagged route.
        let hasTruth = vehicle.trace.truth.contains { $0 != nil }
        for row in vehicle.trace.indicesByTime where !hasTruth || vehicle.trace.truth[row] != nil {
            let label = vehicle.labels[row]
            let fix = vehicle.trace.fixes[row]
            guard let at = fix.deviceAt, !vehicle.trace.isSpoofed[row], !fix.coordinate.isNullIsland else { continue }
            let point = Point(at: at, coordinate: vehicle.trace.truth[row] ?? fix.coordinate)
            if found.last?.label.tripID != label.tripID || found.isEmpty {
                close()
                found.append((label, []))
                stray = []
            }
            if let last = piece.last {
                guard at > last.at else { continue }
                if at.seconds(since: last.at) > gapSeconds {
                    close()
                } else if !isReachable(last, point) {
                    stray.append(point)
                    guard stray.count >= contradictingFixes else { continue }
                    close()
                }
            }
            stray = []
            piece.append(point)
        }
        close()
        return found
    }

    private static func isReachable(_ from: Point, _ to: Point) -> Bool {
        let meters = Geodesy.distanceMeters(from: from.coordinate, to: to.coordinate)
        // Stamps are off by up to a second and positions by tens of metres.
        return meters <= fastestMetersPerSecond * (to.at.seconds(since: from.at) + 1) + 50
    }

    /// Parts between stands of ``standingSeconds`` and more.
    private static func drives(in points: [Point]) -> [[Point]] {
        var drives: [[Point]] = []
        var start = 0
        var index = 0
        while index < points.count {
            let leaves = leaving(points, from: index)
            let stood = points[leaves - 1].at.seconds(since: points[index].at)
            guard stood >= standingSeconds else {
                index += 1
                continue
            }
            if index > start { drives.append(Array(points[start...index])) }
            start = leaves - 1
            index = leaves
        }
        if start < points.count - 1 { drives.append(Array(points[start...])) }
        return drives.map(trimmed)
    }

    /// The first point after `index` that is out of the circle around it.
    private static func leaving(_ points: [Point], from index: Int) -> Int {
        var next = index + 1
        while next < points.count,
            Geodesy.distanceMeters(from: points[index].coordinate, to: points[next].coordinate) <= standingMeters
        {
            next += 1
        }
        return next
    }

    /// Without the standing at both ends.
    private static func trimmed(_ points: [Point]) -> [Point] {
        guard let first = points.first, let last = points.last else { return points }
        let start = points.firstIndex {
            Geodesy.distanceMeters(from: first.coordinate, to: $0.coordinate) > standingMeters
        }
        let end = points.lastIndex { Geodesy.distanceMeters(from: last.coordinate, to: $0.coordinate) > standingMeters }
        guard let start, let end, start - 1 <= end + 1 else { return [] }
        return Array(points[max(0, start - 1)...min(points.count - 1, end + 1)])
    }

    /// The line driven, simplified: points some way apart, without those that lie on the line between their neighbours.
    var route: [Coordinate] {
        guard let last = points.last else { return [] }
        var thinned: [Coordinate] = []
        for point in points {
            // Nearer together is the jitter of the fixes, which would make the route longer than the road.
            if let before = thinned.last, Geodesy.distanceMeters(from: before, to: point.coordinate) < 25 { continue }
            thinned.append(point.coordinate)
        }
        if thinned.last != last.coordinate { thinned.append(last.coordinate) }
        return Self.simplified(thinned, toleranceMeters: 8)
    }

    /// Douglas and Peucker's simplification.
    private static func simplified(_ points: [Coordinate], toleranceMeters: Double) -> [Coordinate] {
        guard points.count > 2, let first = points.first else { return points }
        let plane = TangentPlane(origin: first)
        let flat = points.map { plane.point(of: $0) }
        var isKept = [Bool](repeating: false, count: points.count)
        isKept[0] = true
        isKept[points.count - 1] = true
        var spans = [(0, points.count - 1)]
        while let (start, end) = spans.popLast() {
            guard end - start > 1 else { continue }
            var farthest = (index: start, distance: 0.0)
            for index in start + 1..<end {
                let distance = flat[index].foot(from: flat[start], to: flat[end]).point.distanceMeters(to: flat[index])
                if distance > farthest.distance { farthest = (index, distance) }
            }
            guard farthest.distance > toleranceMeters else { continue }
            isKept[farthest.index] = true
            spans.append((start, farthest.index))
            spans.append((farthest.index, end))
        }
        return points.indices.filter { isKept[$0] }.map { points[$0] }
    }
}

extension Coordinate {
    /// What receivers report before they know anything.
    fileprivate var isNullIsland: Bool { abs(latitude) < 0.001 && abs(longitude) < 0.001 }
}
