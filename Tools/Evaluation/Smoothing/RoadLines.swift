import Domain
import Foundation
import Recordings

/// The road that each trace was driven on: a reference across the road, not along it.
package struct RoadLines: Sendable {
    /// By trace id: the lines of the road.
    private var lines: [String: [[Coordinate]]] = [:]

    /// Reads `trace_id,wkt` with a `MULTILINESTRING` or `LINESTRING` of longitudes and latitudes per row.
    /// - Throws: ``InputError``.
    package init(path: String) throws {
        let reader = try LineReader(path: path)
        guard let header = try reader.next(), header.string == "trace_id,wkt" else {
            throw InputError("\(path): expected CSV with columns trace_id, wkt, in this order.")
        }
        while let line = try reader.next() {
            guard !line.isEmpty else { continue }
            let text = line.string
            guard let comma = text.firstIndex(of: ","), let parsed = Self.parse(text[comma...]) else {
                throw InputError(
                    "\(path), line \(reader.lineNumber): expected a trace, a comma and a LINESTRING or MULTILINESTRING."
                )
            }
            lines[String(text[..<comma])] = parsed
        }
    }

    /// The points within every innermost pair of parentheses.
    private static func parse(_ text: Substring) -> [[Coordinate]]? {
        var lines: [[Coordinate]] = []
        for part in text.split(whereSeparator: { $0 == "(" || $0 == ")" }) {
            let points = part.split(separator: ",").compactMap { pair -> Coordinate? in
                let numbers = pair.split(separator: " ").compactMap { Double($0) }
                return numbers.count == 2 ? Coordinate(latitude: numbers[1], longitude: numbers[0]) : nil
            }
            if points.count >= 2 { lines.append(points) }
        }
        return lines.isEmpty ? nil : lines
    }

    /// Metres from a position to the nearest point of the trace's road; `nil` when the trace has none.
    package func distanceMeters(of coordinate: Coordinate, trace: String) -> Double? {
        guard let road = lines[trace] else { return nil }
        let plane = TangentPlane(origin: coordinate)
        let origin = TangentPlane.Point(east: 0, north: 0)
        var least = Double.infinity
        for line in road {
            let points = line.map { plane.point(of: $0) }
            for (start, end) in zip(points, points.dropFirst()) {
                least = min(least, origin.foot(from: start, to: end).point.distanceMeters(to: origin))
            }
        }
        return least
    }
}

/// Distances from the road that was driven, as they are written.
package struct RoadFigures: Encodable, Sendable, Equatable {
    package var fixes: Int
    package var rawRmseMeters: Double?
    package var rawP50Meters: Double?
    package var rawP95Meters: Double?
    package var smoothedRmseMeters: Double?
    package var smoothedP50Meters: Double?
    package var smoothedP95Meters: Double?
    package var ratio: Double?

    /// Measures every trace that has a road; `nil` when none has.
    init?(_ traces: [RecordedTrace], roads: RoadLines, settings: TrackingSettings) {
        var raw = ErrorDistribution()
        var smoothed = ErrorDistribution()
        for trace in traces {
            let shown = ShownTrack.judged(trace, settings: settings)
            for (fix, position) in zip(trace.fixes, shown.positions) {
                guard let position, let given = roads.distanceMeters(of: fix.coordinate, trace: trace.id),
                    let own = roads.distanceMeters(of: position.coordinate, trace: trace.id)
                else { continue }
                raw.add(given)
                smoothed.add(own)
            }
        }
        guard let given = raw.rootMeanSquareMeters, let own = smoothed.rootMeanSquareMeters else { return nil }
        fixes = raw.meters.count
        (rawRmseMeters, smoothedRmseMeters) = (given, own)
        ratio = own / given
        let (before, after) = (raw.percentiles([0.5, 0.95]), smoothed.percentiles([0.5, 0.95]))
        (rawP50Meters, rawP95Meters) = (before[0], before[1])
        (smoothedP50Meters, smoothedP95Meters) = (after[0], after[1])
    }
}
