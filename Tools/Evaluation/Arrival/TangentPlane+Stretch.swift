import Domain

extension TangentPlane.Point {
    /// Its nearest point on the straight stretch between two others, and how much of the stretch lies before that.
    func foot(from start: Self, to end: Self) -> (point: Self, part: Double) {
        let (east, north) = (end.east - start.east, end.north - start.north)
        let squared = east * east + north * north
        let free = squared > 0 ? ((self.east - start.east) * east + (self.north - start.north) * north) / squared : 0
        let part = max(0, min(1, free))
        return (Self(east: start.east + part * east, north: start.north + part * north), part)
    }
}
