import Model
import Simulation

/// Where vehicles are, above streets in braille dots, or above where they have been.
struct FleetMap: Sendable {
    /// The streets of a simulated town.
    struct Streets: Sendable {
        struct Segment: Sendable {
            var from: TangentPlane.Point
            var to: TangentPlane.Point
            /// Side streets are left out where the map is small.
            var isSide: Bool
        }

        var plane: TangentPlane
        var segments: [Segment]
    }

    struct Vehicle: Sendable, Equatable {
        var coordinate: Coordinate
        var isSuspect: Bool
    }

    var streets: Streets?
    var vehicles: [Vehicle] = []
    /// Positions of the past, drawn as ground where there are no streets.
    var trail: [Coordinate] = []

    /// What each colour and sign means.
    static func legend(hasColor: Bool) -> StyledLine {
        var line = StyledLine(hasColor ? "•" : "o", .lively)
        line.append(" vehicle  ")
        line.append(hasColor ? "●" : "x", .bad)
        line.append(" suspect")
        return line
    }

    /// Draws `columns` by `rows` characters; north is up, and both directions have one scale.
    ///
    /// Without colours a vehicle is an `o` and a suspect an `x`.
    func lines(columns: Int, rows: Int, hasColor: Bool) -> [StyledLine] {
        guard columns > 0, rows > 0, let frame = Frame(self, columns: columns, rows: rows) else {
            return [StyledLine("no position yet", .faint)]
        }
        var ground = BrailleCanvas(columns: columns, rows: rows)
        for segment in streets?.segments ?? [] where !segment.isSide || frame.dotsPerMeter > Self.sideStreetScale {
            ground.line(from: frame.dot(segment.from), to: frame.dot(segment.to))
        }
        if streets == nil { for place in trail { ground.dot(frame.dot(frame.plane.point(of: place))) } }
        var fleet = BrailleCanvas(columns: columns, rows: rows)
        var suspects = BrailleCanvas(columns: columns, rows: rows)
        for vehicle in vehicles {
            let dot = frame.dot(frame.plane.point(of: vehicle.coordinate))
            if vehicle.isSuspect { suspects.dot(dot) } else { fleet.dot(dot) }
        }
        return (0..<rows).map { row in
            var line = StyledLine()
            for column in 0..<columns {
                if suspects.character(column: column, row: row) != nil {
                    line.append(hasColor ? "●" : "x", .bad)
                } else if fleet.character(column: column, row: row) != nil {
                    line.append(hasColor ? "•" : "o", .lively)
                } else {
                    line.append(String(ground.character(column: column, row: row) ?? " "), .faint)
                }
            }
            return line
        }
    }

    /// Side streets are drawn from this many dots per metre: one block of 170 m is then five dots.
    private static let sideStreetScale = 0.03

    /// How the plane lies on the dots.
    private struct Frame {
        let plane: TangentPlane
        let dotsPerMeter: Double
        private let west: Double
        private let north: Double
        private let margin: (x: Double, y: Double)

        init?(_ map: FleetMap, columns: Int, rows: Int) {
            let seen = map.trail + map.vehicles.map(\.coordinate)
            guard let origin = map.streets?.plane.origin ?? seen.first else { return nil }
            plane = map.streets?.plane ?? TangentPlane(origin: origin)
            let points =
                map.streets?.segments.flatMap { [$0.from, $0.to] } ?? seen.map { [plane] in plane.point(of: $0) }
            let (east, north) = (points.map(\.east), points.map(\.north))
            guard let west = east.min(), let last = east.max(), let south = north.min(), let top = north.max() else {
                return nil
            }
            let size = (x: Double(columns * 2 - 1), y: Double(rows * 4 - 1))
            // A fleet that stands in one place is shown with 100 m around it.
            let extent = (x: max(100, last - west), y: max(100, top - south))
            dotsPerMeter = min(size.x / extent.x, size.y / extent.y)
            self.west = west
            self.north = top
            margin = ((size.x - (last - west) * dotsPerMeter) / 2, (size.y - (top - south) * dotsPerMeter) / 2)
        }

        func dot(_ point: TangentPlane.Point) -> (x: Double, y: Double) {
            (margin.x + (point.east - west) * dotsPerMeter, margin.y + (north - point.north) * dotsPerMeter)
        }
    }
}

extension FleetMap.Streets {
    init(_ network: StreetNetwork) {
        plane = network.plane
        // Both directions of a street are one line.
        segments = network.streets.filter { $0.from < $0.to && !$0.isTunnel }.map { street in
            Segment(
                from: network.crossings[street.from], to: network.crossings[street.to],
                isSide: street.streetClass == .side)
        }
    }
}

extension BrailleCanvas {
    fileprivate mutating func dot(_ place: (x: Double, y: Double)) {
        guard abs(place.x) < 1e6, abs(place.y) < 1e6 else { return }
        dot(Int(place.x.rounded()), Int(place.y.rounded()))
    }
}
