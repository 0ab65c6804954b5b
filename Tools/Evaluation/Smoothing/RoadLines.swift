import Domain
import Foundation
import Recordings

/// Driven road of each trace, which shows errors across the road, but not along it.
package struct RoadLines: Sendable {
    /// Lines of the road by trace id.
    private var lines: [String: [[Coordinate]]] = [:]

    /// Reads `trace_id,wkt`, where `wkt` is a `LINESTRING` or `MULTILINESTRING` of longitudes and latitudes.
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

    /// Returns the points within each innermost pair of parentheses.
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

    /// Returns the distance in metres to the nearest point of the trace's road; `nil` without a road.
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

    /// Returns smoothed over raw RMSE of the distances from the roads; `nil` if no trace has a road.
    func ratio(_ traces: [RecordedTrace]) -> Double? {
        var (raw, smoothed): ([Double], [Double]) = ([], [])
        for trace in traces {
            for (fix, position) in zip(trace.fixes, ShownTrack.smoothed(trace).positions) {
                guard let position, let rawMeters = distanceMeters(of: fix.coordinate, trace: trace.id),
                    let smoothedMeters = distanceMeters(of: position.coordinate, trace: trace.id)
                else { continue }
                raw.append(rawMeters)
                smoothed.append(smoothedMeters)
            }
        }
        return smoothed.rmseRatio(to: raw)
    }
}
