/// Errors that persist: many fixes count as one measurement, and the accuracy includes the error.
extension KinematicFilter {
    /// Returns the number of fixes that together count as one measurement; at least 1.
    @inline(__always) func fixesAtOnce(every seconds: Double) -> Double {
        max(1, settings.independenceSeconds / max(seconds, 0.05))
    }

    /// Learns the lasting error from a fix's residual after the update, in metres.
    ///
    /// On average, the product of a residual and the mean of earlier residuals is zero for independent noise, and
    /// equals the variance of a lasting error.
    @inline(__always) func learnLastingError(_ state: inout MotionState, east: Double, north: Double, seconds: Double) {
        let share = max(0, seconds) / (max(0, seconds) + settings.lastingErrorSeconds)
        let east = MotionState.LastingError.bounded(east)
        let north = MotionState.LastingError.bounded(north)
        let product = (east * state.lasting.meanEastMeters + north * state.lasting.meanNorthMeters) / 2
        let variance = Double(state.lasting.variance)
        state.lasting.variance = Float(max(0, variance + share * (product - variance)))
        state.lasting.meanEastMeters += share * (east - state.lasting.meanEastMeters)
        state.lasting.meanNorthMeters += share * (north - state.lasting.meanNorthMeters)
    }
}
