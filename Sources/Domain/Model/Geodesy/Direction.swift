/// A direction on the map as a vector of length 1.
package struct Direction: Equatable {
    package var east: Double
    package var north: Double

    /// Creates the direction of a heading in [0, 360) degrees, by Taylor series with an error below 2e-9.
    @inline(__always) package init(headingDegrees: Double) {
        let quarter = Int(headingDegrees * (1 / 90) + 0.5)
        let angle = (headingDegrees - Double(quarter) * 90) * (.pi / 180)
        let x = angle * angle
        let xx = x * x
        let sine = angle * ((1 - x * (1 / 6)) + xx * ((1 / 120 - x * (1 / 5040)) + xx * (1 / 362_880)))
        let cosine = (1 - x * (1 / 2)) + xx * ((1 / 24 - x * (1 / 720)) + xx * (1 / 40_320 - x * (1 / 3_628_800)))
        let swapsAxes = quarter & 1 == 1
        let isReversed = quarter & 2 == 2
        east = swapsAxes ? cosine : sine
        north = swapsAxes ? -sine : cosine
        if isReversed {
            east = -east
            north = -north
        }
    }
}
