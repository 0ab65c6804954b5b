import Domain
import Recordings
import Simulation
import Support

/// The fixes of one drive, without repeats and jumps.
struct DrivenTrack {
    /// A time with the position of the reference, or of the fix if there is no reference.
    typealias Point = (at: Timestamp, coordinate: Coordinate)

    var id: String
    var vehicleID: String
    var routeID: String?
    var points: [Point] = []

    /// Maximum plausible speed between fixes, in m/s.
    private static let fastestMetersPerSecond = 60.0
    /// Number of consecutive unreachable fixes that start another track.
    private static let contradictingFixes = 3
    /// A drive ends where the vehicle stays within this radius (m) for this time (s).
    static let standingMeters = 50.0
    static let standingSeconds = 180.0
    /// Gap that ends a drive, in seconds.
    static let gapSeconds = 180.0
    /// Minimum duration (s) and length (m) of a drive.
    static let shortestSeconds = 300.0
    static let shortestMeters = 1000.0
    private static let fewestFixes = 6

    /// Returns the drives of a vehicle, split at gaps, trip changes and, if the log has no trip ids, long stops.
    ///
    /// Standing fixes at both ends are removed.
    static func tracks(of vehicle: VehicleLog.Vehicle) -> [DrivenTrack] {
        var tracks: [DrivenTrack] = []
        for (label, pieces) in segments(of: vehicle) {
            let hasTripID = label.tripID != nil
            let drives = pieces.flatMap { hasTripID ? [trimmed($0)] : Self.drives(in: $0) }
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
        var segments: [(label: VehicleLog.Label, pieces: [[Point]])] = []
        var piece: [Point] = []
        var unreachable: [Point] = []
        func close() {
            if !piece.isEmpty { segments[segments.count - 1].pieces.append(piece) }
            piece = []
        }
        // If there is a reference, uses only its positions, because mixed positions make a jagged route.
        let hasTruth = vehicle.trace.truth.contains { $0 != nil }
        for row in vehicle.trace.indicesByTime where !hasTruth || vehicle.trace.truth[row] != nil {
            let label = vehicle.labels[row]
            let fix = vehicle.trace.fixes[row]
            guard let at = fix.deviceAt, !vehicle.trace.isSpoofed[row], !fix.coordinate.isNullIsland else { continue }
            let point = (at: at, coordinate: vehicle.trace.truth[row] ?? fix.coordinate)
            if segments.last?.label.tripID != label.tripID || segments.isEmpty {
                close()
                segments.append((label, []))
                unreachable = []
            }
            if let last = piece.last {
                guard at > last.at else { continue }
                if at.seconds(since: last.at) > gapSeconds {
                    close()
                } else if !isReachable(last, point) {
                    unreachable.append(point)
                    guard unreachable.count >= contradictingFixes else { continue }
                    close()
                }
            }
            unreachable = []
            piece.append(point)
        }
        close()
        return segments
    }

    private static func isReachable(_ from: Point, _ to: Point) -> Bool {
        let meters = Geodesy.distanceMeters(from: from.coordinate, to: to.coordinate)
        // Allows for timestamp errors of up to a second and position errors of tens of metres.
        return meters <= fastestMetersPerSecond * (to.at.seconds(since: from.at) + 1) + 50
    }

    /// Splits the points at stops of at least ``standingSeconds``.
    private static func drives(in points: [Point]) -> [[Point]] {
        var drives: [[Point]] = []
        var start = 0
        var index = 0
        while index < points.count {
            let leaves = leaving(points, from: index)
            let duration = points[leaves - 1].at.seconds(since: points[index].at)
            guard duration >= standingSeconds else {
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

    /// Returns the index of the first later point that is outside the radius around point `index`.
    private static func leaving(_ points: [Point], from index: Int) -> Int {
        var next = index + 1
        while next < points.count,
            Geodesy.distanceMeters(from: points[index].coordinate, to: points[next].coordinate) <= standingMeters
        {
            next += 1
        }
        return next
    }

    /// Removes the standing points at both ends.
    private static func trimmed(_ points: [Point]) -> [Point] {
        guard let first = points.first, let last = points.last else { return points }
        let start = points.firstIndex {
            Geodesy.distanceMeters(from: first.coordinate, to: $0.coordinate) > standingMeters
        }
        let end = points.lastIndex { Geodesy.distanceMeters(from: last.coordinate, to: $0.coordinate) > standingMeters }
        guard let start, let end, start - 1 <= end + 1 else { return [] }
        return Array(points[max(0, start - 1)...min(points.count - 1, end + 1)])
    }

    /// Driven line: points at least 25 m apart, simplified with a tolerance of 8 m.
    var route: [Coordinate] {
        guard let last = points.last else { return [] }
        var thinned: [Coordinate] = []
        for point in points {
            // At shorter distances the noise of the fixes would lengthen the route.
            if let before = thinned.last, Geodesy.distanceMeters(from: before, to: point.coordinate) < 25 { continue }
            thinned.append(point.coordinate)
        }
        if thinned.last != last.coordinate { thinned.append(last.coordinate) }
        return Self.simplified(thinned, toleranceMeters: 8)
    }

    /// Simplifies a line (Douglas and Peucker, 1973).
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
    /// Whether the coordinate is near (0, 0), which some receivers report without a fix.
    fileprivate var isNullIsland: Bool { abs(latitude) < 0.001 && abs(longitude) < 0.001 }
}
