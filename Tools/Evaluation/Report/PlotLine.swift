/// A line in the picture's units, cut to the picture's frame and without points too close to be seen.
struct PlotLine {
    typealias Point = LinePlot.Point

    /// Connected pieces, each of two points at least.
    private(set) var pieces: [[Point]] = []

    /// Points closer to the line than this, in units of the picture, are left out.
    private static let tolerance = 0.15

    /// - Parameters:
    ///   - points: in order; `nil` interrupts the line.
    ///   - width: of the frame, which begins at 0.
    ///   - height: of the frame, which begins at 0.
    init(_ points: [Point?], width: Double, height: Double) {
        var piece: [Point] = []
        func finish() {
            if piece.count > 1 { pieces.append(Self.simplified(piece)) }
            piece = []
        }
        for (from, to) in zip(points, points.dropFirst()) {
            guard let from, let to, let (start, end) = Self.clip(from, to, width: width, height: height) else {
                finish()
                continue
            }
            if piece.last != start {
                finish()
                piece = [start]
            }
            piece.append(end)
            // The line has left the frame.
            if end != to { finish() }
        }
        finish()
    }

    /// The part of a straight line that is inside of the frame (Liang and Barsky 1984); `nil` when none is.
    private static func clip(_ from: Point, _ to: Point, width: Double, height: Double) -> (Point, Point)? {
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        var (enters, leaves) = (0.0, 1.0)
        for (direction, room) in [(-dx, from.x), (dx, width - from.x), (-dy, from.y), (dy, height - from.y)] {
            if direction == 0 {
                if room < 0 { return nil }
            } else if direction < 0 {
                enters = max(enters, room / direction)
            } else {
                leaves = min(leaves, room / direction)
            }
        }
        guard enters <= leaves else { return nil }
        let start = enters == 0 ? from : Point(x: from.x + enters * dx, y: from.y + enters * dy)
        let end = leaves == 1 ? to : Point(x: from.x + leaves * dx, y: from.y + leaves * dy)
        return (start, end)
    }

    /// The fewest of the points whose line stays close to all of them (Douglas and Peucker 1973).
    private static func simplified(_ points: [Point]) -> [Point] {
        var isKept = [Bool](repeating: false, count: points.count)
        (isKept[0], isKept[points.count - 1]) = (true, true)
        var open = [(0, points.count - 1)]
        while let (first, last) = open.popLast() {
            guard last - first > 1 else { continue }
            var (farthest, distance) = (first, 0.0)
            for index in first + 1..<last {
                let candidate = Self.distance(points[index], from: points[first], to: points[last])
                if candidate > distance { (farthest, distance) = (index, candidate) }
            }
            guard distance > tolerance else { continue }
            isKept[farthest] = true
            open += [(first, farthest), (farthest, last)]
        }
        return zip(points, isKept).compactMap { $1 ? $0 : nil }
    }

    private static func distance(_ point: Point, from start: Point, to end: Point) -> Double {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let (px, py) = (point.x - start.x, point.y - start.y)
        let length = dx * dx + dy * dy
        let share = length > 0 ? min(1, max(0, (px * dx + py * dy) / length)) : 0
        let (ex, ey) = (px - share * dx, py - share * dy)
        return (ex * ex + ey * ey).squareRoot()
    }
}
