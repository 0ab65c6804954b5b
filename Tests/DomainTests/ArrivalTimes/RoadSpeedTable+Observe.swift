@testable import ArrivalTimes
@testable import Support

extension RoadSpeedTable {
    /// Takes in that a vehicle took `seconds` from one length of its route to another.
    mutating func observe(
        _ cells: RouteCells, from start: Double, to end: Double, seconds: Double, at time: Timestamp
    ) {
        var parts: ContiguousArray<Part> = []
        appendParts(of: cells, from: start, to: end, seconds: seconds, to: &parts)
        for part in parts { add(part, at: time) }
    }
}
